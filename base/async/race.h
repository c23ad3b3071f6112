// Two tasks that end together, on the caller's executor.
#ifndef BASE_ASYNC_RACE_H_
#define BASE_ASYNC_RACE_H_

#include "base/async/task.h"

namespace steward {

// Runs both tasks. As soon as one ends, cancels the other, and returns when that has ended too.
// Rethrows an exception of the task that ended first; else one of the other task, unless it is a
// cancellation.
VoidTask UntilOneEnds(VoidTask a, VoidTask b);

}  // namespace steward

#endif  // BASE_ASYNC_RACE_H_
