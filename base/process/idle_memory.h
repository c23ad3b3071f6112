// Memory that the program has freed and the allocator still keeps. Lives on one executor.
#ifndef BASE_PROCESS_IDLE_MEMORY_H_
#define BASE_PROCESS_IDLE_MEMORY_H_

#include <cstddef>
#include <functional>
#include <utility>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward {

// After a peak of connections or bodies, most freed memory lies between blocks that are still in
// use, and glibc by itself gives back only memory at the end of its heap. So this class looks once
// a minute, and has all freed memory given back if there is much more than after the last time.
// Giving memory back takes some milliseconds, in which other threads may wait for the allocator.
class IdleMemory {
 public:
  struct Allocator {
    // The resident bytes of the process that the program does not use.
    std::function<size_t()> idle;
    // Gives back as much of it as possible.
    std::function<void()> trim;
  };
  // glibc's.
  static Allocator Real();

  static constexpr size_t kWorthIt = 32 << 20;
  static constexpr absl::Duration kPeriod = absl::Minutes(1);

  // REQUIRES: `clock` outlives this object.
  explicit IdleMemory(Clock& clock, Allocator allocator = Real())
      : clock_(clock), allocator_(std::move(allocator)) {}

  // Looks once a period, until cancelled. REQUIRES: this object outlives the task.
  VoidTask Run();

 private:
  void Look();

  Clock& clock_;
  const Allocator allocator_;
  size_t left_ = 0;  // what the last trim could not give back: code, stacks, gaps
};

}  // namespace steward

#endif  // BASE_PROCESS_IDLE_MEMORY_H_
