// How much a loop may do before other work goes first.
#ifndef BASE_ASYNC_TURN_H_
#define BASE_ASYNC_TURN_H_

#include <cstddef>

namespace steward {

// Counts the steps of a loop: `if (turn.Over()) co_await Yield();`. Not thread-safe.
class Turn {
 public:
  // Some hundred microseconds' worth of looks at objects in memory.
  static constexpr size_t kSteps = 500;

  // Counts one step, or a step that costs as much as so many. True when it was the turn's last.
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
