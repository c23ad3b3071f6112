// A thread with an executor of its own. Work may be posted to the executor from any thread.
#ifndef BASE_ASYNC_OWN_THREAD_H_
#define BASE_ASYNC_OWN_THREAD_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <thread>

namespace steward {

// Runs one handler at a time. Ends with Stop or with this object, after the handler that is
// running; handlers that still wait never run and are destroyed with this object.
class OwnThread {
 public:
  OwnThread() : work_(io_.get_executor()), thread_([this] { io_.run(); }) {}
  ~OwnThread() { Stop(); }
  OwnThread(const OwnThread&) = delete;
  OwnThread& operator=(const OwnThread&) = delete;

  // Idempotent. REQUIRES: not on the thread itself.
  void Stop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
  }

  boost::asio::any_io_executor executor() { return io_.get_executor(); }

 private:
  boost::asio::io_context io_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> work_;
  std::thread thread_;
};

}  // namespace steward

#endif  // BASE_ASYNC_OWN_THREAD_H_
