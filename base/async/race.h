// Two tasks that end together, on the caller's executor.
#ifndef BASE_ASYNC_RACE_H_
#define BASE_ASYNC_RACE_H_

#include "base/async/task.h"

namespace steward {

// Runs both; as soon as one ends, cancels the other and returns when that has ended too. An
// exception of the first one passes through, else an exception of the other that is no
// cancellation.
VoidTask UntilOneEnds(VoidTask a, VoidTask b);

}  // namespace steward

#endif  // BASE_ASYNC_RACE_H_
