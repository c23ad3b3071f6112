// The owner of spawned tasks: no task of the project runs outside a TaskGroup. Lives on one
// executor.
#ifndef BASE_ASYNC_TASK_GROUP_H_
#define BASE_ASYNC_TASK_GROUP_H_

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>
#include <utility>

#include "base/async/task.h"

namespace steward {

// Call every member on the group's executor, on which the tasks run, too. `Stop` cancels all tasks
// and returns when the last has ended; it is idempotent. REQUIRES: on destruction, the group was
// stopped, or nothing was ever spawned into it.
class TaskGroup {
 public:
  explicit TaskGroup(boost::asio::any_io_executor executor);
  ~TaskGroup();
  TaskGroup(const TaskGroup&) = delete;
  TaskGroup& operator=(const TaskGroup&) = delete;

  // A handle to one spawned task, to cancel it alone. May outlive the task and the group.
  class Ref {
   public:
    Ref() = default;
    // Does nothing when the task has ended. Must be called on the group's executor.
    void Cancel() const;

   private:
    friend class TaskGroup;
    struct Entry;
    explicit Ref(std::weak_ptr<Entry> entry) : entry_(std::move(entry)) {}
    std::weak_ptr<Entry> entry_;
  };

  // Runs `task`; after Stop has begun, drops it instead. An exception other than cancellation that
  // leaves the task is a bug and ends the process with `name` in the message.
  Ref Spawn(std::string name, VoidTask task);

  // Number of tasks that have not ended.
  size_t size() const;

  VoidTask Stop();

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace steward

#endif  // BASE_ASYNC_TASK_GROUP_H_
