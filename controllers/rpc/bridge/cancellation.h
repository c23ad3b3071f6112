// Passes a client's cancellation on to the task that serves the call. Ask is thread-safe.
#ifndef CONTROLLERS_RPC_BRIDGE_CANCELLATION_H_
#define CONTROLLERS_RPC_BRIDGE_CANCELLATION_H_

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <utility>

#include "base/async/task_group.h"

namespace steward::rpc {

// Shared by a reactor and the spawner of the task. Begun and Ask may be called in either order.
class Cancellation : public std::enable_shared_from_this<Cancellation> {
 public:
  explicit Cancellation(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  // Names the task. On the executor, once.
  void Begun(TaskGroup::Ref task) {
    task_ = std::move(task);
    if (asked_) task_.Cancel();
  }
  // Cancels the task, now or as soon as it has begun. On any thread.
  void Ask() {
    boost::asio::post(executor_, [self = shared_from_this()] {
      self->asked_ = true;
      self->task_.Cancel();
    });
  }

 private:
  const boost::asio::any_io_executor executor_;
  bool asked_ = false;
  TaskGroup::Ref task_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_CANCELLATION_H_
