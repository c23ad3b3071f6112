// The threads that do all I/O: one io_context each.
#ifndef APISERVER_HTTP_IO_THREADS_H_
#define APISERVER_HTTP_IO_THREADS_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <vector>

namespace steward::http {

// What runs on one executor runs on one thread, and needs no lock against its like.
class IoThreads {
 public:
  // Starts `count` threads; 0 means one per core.
  explicit IoThreads(size_t count = 0);
  // Ends the threads, whatever work is left. REQUIRES: not on one of them.
  ~IoThreads();
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;

  size_t size() const { return threads_.size(); }
  boost::asio::any_io_executor executor(size_t index) const;

 private:
  struct Thread;
  std::vector<std::unique_ptr<Thread>> threads_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_IO_THREADS_H_
