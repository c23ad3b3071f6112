// Wakes one waiting coroutine once, from any thread. Wake is thread-safe.
#ifndef KUBE_TESTING_WAKEUP_H_
#define KUBE_TESTING_WAKEUP_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "base/async/task.h"

namespace steward::kube {

// Used once: one Wait, and any number of Wakes before or after it.
class Wakeup : public std::enable_shared_from_this<Wakeup> {
 public:
  explicit Wakeup(const boost::asio::any_io_executor& executor);

  // Returns when Wake was called. Must be called on `executor`.
  VoidTask Wait();
  void Wake();

 private:
  boost::asio::steady_timer timer_;
  bool woken_ = false;  // touched on the executor only
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_WAKEUP_H_
