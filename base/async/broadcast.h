// An event that any number of tasks, on any executors, wait for. Thread-safe.
#ifndef BASE_ASYNC_BROADCAST_H_
#define BASE_ASYNC_BROADCAST_H_

#include <array>
#include <boost/asio/any_io_executor.hpp>
#include <chrono>
#include <cstdint>
#include <memory>

#include "base/async/task.h"

namespace steward {

// A waiter costs one timer. Notify costs one post for each executor that has waiters, however many
// waiters there are. The executor wakes them a hundred at a time, so that its other work gets
// turns.
class Broadcast {
 public:
  using Ticket = uint64_t;

  Broadcast();
  ~Broadcast();

  // A mark of the notifications so far.
  Ticket Now() const;
  void Notify();

  // Returns at the first Notify after `ticket` was taken (at once if there was a Notify since then)
  // or at `deadline` (steady time). Resumes on the caller's executor. Cancellable. The Broadcast
  // may be destroyed while tasks wait.
  VoidTask WaitSince(Ticket ticket, std::chrono::steady_clock::time_point deadline) const {
    return Wait({Awaited{state_, ticket}, Awaited{}}, deadline);
  }
  // Waits like WaitSince, until the first of `a` and `b` notifies.
  static VoidTask WaitForEither(const Broadcast& a, Ticket since_a, const Broadcast& b,
                                Ticket since_b, std::chrono::steady_clock::time_point deadline) {
    return Wait({Awaited{a.state_, since_a}, Awaited{b.state_, since_b}}, deadline);
  }

 private:
  struct State;
  struct Awaited {
    std::shared_ptr<State> state;  // null: nothing
    Ticket ticket = 0;
  };
  static void WakeSome(const std::shared_ptr<State>& state,
                       const boost::asio::any_io_executor& executor);
  static VoidTask Wait(std::array<Awaited, 2> awaited,
                       std::chrono::steady_clock::time_point deadline);

  std::shared_ptr<State> state_;
};

}  // namespace steward

#endif  // BASE_ASYNC_BROADCAST_H_
