// A limit to how much a loop may do before other work goes first. Not thread-safe.
#ifndef BASE_ASYNC_TURN_H_
#define BASE_ASYNC_TURN_H_

#include <cstddef>

namespace steward {

// Counts the steps of a loop: `if (turn.Over()) co_await Yield();`.
class Turn {
 public:
  // Steps that take some hundred microseconds when each looks at an object in memory.
  static constexpr size_t kSteps = 500;

  // Counts one step, or a step that costs as much as `steps`. True when it was the turn's last.
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
