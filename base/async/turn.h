// A limit to how much a loop may do before other work goes first. Not thread-safe.
#ifndef BASE_ASYNC_TURN_H_
#define BASE_ASYNC_TURN_H_

#include <cstddef>

namespace steward {

// Counts the steps of a loop: `if (turn.Over()) co_await Yield();`.
class Turn {
 public:
  // Sized for steps that each look at an object in memory: that many take some hundred
  // microseconds.
  static constexpr size_t kSteps = 500;

  // Counts one step, or a step that costs as much as `steps`. True if the turn is over with this
  // step.
  bool Over(size_t steps = 1) {
    taken_ += steps;
    if (taken_ < kSteps) return false;
    taken_ = 0;
    return true;
  }

 private:
  size_t taken_ = 0;
};

}  // namespace steward

#endif  // BASE_ASYNC_TURN_H_
