// Many like tasks, a few at a time.
#ifndef BASE_ASYNC_IN_FLIGHT_H_
#define BASE_ASYNC_IN_FLIGHT_H_

#include <cstddef>
#include <functional>

#include "base/async/task.h"

namespace steward {

// Runs `work(0)` to `work(count - 1)` on the caller's executor, begun in this order, at most
// `width` at a time; returns when all have ended. Cancelled, no more are begun and those under way
// are cancelled; all have ended when it is over. An exception of one does the same to the others
// and is then passed on. REQUIRES: width > 0; the executor runs one handler at a time.
VoidTask ForEachInFlight(size_t count, size_t width, std::function<VoidTask(size_t)> work);

}  // namespace steward

#endif  // BASE_ASYNC_IN_FLIGHT_H_
