#include "apiserver/http/io_threads.h"

#include <algorithm>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

namespace steward::http {
namespace asio = boost::asio;

struct IoThreads::Thread {
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  std::thread thread;
};

IoThreads::IoThreads(size_t count) {
  if (count == 0) count = std::max(1u, std::thread::hardware_concurrency());
  for (size_t i = 0; i < count; ++i) {
    threads_.push_back(std::make_unique<Thread>());
    Thread& thread = *threads_.back();
    thread.thread = std::thread([&thread] { thread.io.run(); });
  }
}

IoThreads::~IoThreads() {
  for (auto& thread : threads_) thread->io.stop();
  for (auto& thread : threads_) thread->thread.join();
}

asio::any_io_executor IoThreads::executor(size_t index) const {
  return threads_[index]->io.get_executor();
}

}  // namespace steward::http
