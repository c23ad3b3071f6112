// Two loops that live and die together.
#ifndef APISERVER_HTTP_RACE_H_
#define APISERVER_HTTP_RACE_H_

#include "base/async/task.h"

namespace steward::http {

// Runs both; as soon as one ends, cancels the other and returns when that has ended too. An
// exception of the one that ended first, or of the other if it is no cancellation, passes through.
VoidTask UntilOneEnds(VoidTask a, VoidTask b);

}  // namespace steward::http

#endif  // APISERVER_HTTP_RACE_H_
