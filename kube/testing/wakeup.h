// One waiting coroutine, to be woken from any thread.
#ifndef KUBE_TESTING_WAKEUP_H_
#define KUBE_TESTING_WAKEUP_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>

#include "base/async/task.h"

namespace steward::kube {

// Used once: one Wait, any number of Wakes, before or after.
class Wakeup : public std::enable_shared_from_this<Wakeup> {
 public:
  explicit Wakeup(const boost::asio::any_io_executor& executor);

  // On `executor`. Returns when Wake was called.
  VoidTask Wait();
  // Thread-safe.
  void Wake();

 private:
  boost::asio::steady_timer timer_;
  bool woken_ = false;  // touched on the executor only
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_WAKEUP_H_
