// The threads that do all I/O, with one io_context each. Thread-safe, except for destruction.
#ifndef APISERVER_HTTP_IO_THREADS_H_
#define APISERVER_HTTP_IO_THREADS_H_

#include <boost/asio/any_io_executor.hpp>
#include <cstddef>
#include <memory>
#include <vector>

namespace steward::http {

// All work of one executor runs on one thread, and needs no locks against other work of that
// executor.
class IoThreads {
 public:
  // Starts `count` threads; 0 means one per core.
  explicit IoThreads(size_t count = 0);
  // Ends the threads, whatever work is left. REQUIRES: not called on one of them.
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
