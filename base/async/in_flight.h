// Concurrent runs of many similar tasks, a few at a time, on the caller's executor.
#ifndef BASE_ASYNC_IN_FLIGHT_H_
#define BASE_ASYNC_IN_FLIGHT_H_

#include <cstddef>
#include <functional>

#include "base/async/task.h"

namespace steward {

// Runs `work(0)` to `work(count - 1)` on the caller's executor, started in this order, at most
// `width` at a time. Returns when all have ended. On cancellation, starts no more, cancels those
// under way, and returns after all of them have ended. An exception from one of them does the same
// and is then passed on. REQUIRES: width > 0; the executor runs one handler at a time.
VoidTask ForEachInFlight(size_t count, size_t width, std::function<VoidTask(size_t)> work);

}  // namespace steward

#endif  // BASE_ASYNC_IN_FLIGHT_H_
