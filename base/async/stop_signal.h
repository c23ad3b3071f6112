// A signal that tells any number of tasks, on any executors, to end. Thread-safe.
#ifndef BASE_ASYNC_STOP_SIGNAL_H_
#define BASE_ASYNC_STOP_SIGNAL_H_

#include <chrono>

#include "base/async/broadcast.h"
#include "base/async/task.h"

namespace steward {

// Once set, it stays set.
class StopSignal {
 public:
  void Set() { broadcast_.Notify(); }
  // Returns as soon as the signal is set, at once when it is set already. Resumes on the caller's
  // executor. Cancellable. The StopSignal may be destroyed while tasks wait.
  VoidTask Wait() const {
    return broadcast_.WaitSince(unset_, std::chrono::steady_clock::time_point::max());
  }
  bool IsSet() const { return broadcast_.Now() != unset_; }
  // Waits like other.WaitSince(ticket, deadline), but returns also when this signal is set.
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
