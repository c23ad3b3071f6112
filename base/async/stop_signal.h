// Tells any number of tasks, on any executors, to come to an end.
#ifndef BASE_ASYNC_STOP_SIGNAL_H_
#define BASE_ASYNC_STOP_SIGNAL_H_

#include <chrono>

#include "base/async/broadcast.h"
#include "base/async/task.h"

namespace steward {

// Thread-safe. Once set, it stays so.
class StopSignal {
 public:
  void Set() { broadcast_.Notify(); }
  // Returns as soon as it is set, at once when it was. Resumes on the caller's executor.
  // Cancellable. The StopSignal may be destroyed while tasks wait.
  VoidTask Wait() const {
    return broadcast_.WaitSince(unset_, std::chrono::steady_clock::time_point::max());
  }
  bool IsSet() const { return broadcast_.Now() != unset_; }
  // As other.WaitSince(ticket, deadline), but returns when this is set, too.
  VoidTask WaitOr(const Broadcast& other, Broadcast::Ticket ticket,
                  std::chrono::steady_clock::time_point deadline) const {
    return Broadcast::WaitForEither(broadcast_, unset_, other, ticket, deadline);
  }

 private:
  Broadcast broadcast_;
  const Broadcast::Ticket unset_ = broadcast_.Now();
};

}  // namespace steward

#endif  // BASE_ASYNC_STOP_SIGNAL_H_
