// Two tasks that live and die together.
#ifndef BASE_ASYNC_RACE_H_
#define BASE_ASYNC_RACE_H_

#include "base/async/task.h"

namespace steward {

// Runs both; as soon as one ends, cancels the other and returns when that has ended too. An
// exception of the one that ended first, or of the other if it is no cancellation, passes through.
VoidTask UntilOneEnds(VoidTask a, VoidTask b);

}  // namespace steward

#endif  // BASE_ASYNC_RACE_H_
