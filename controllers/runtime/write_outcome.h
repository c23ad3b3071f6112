// The meaning of an answer to a write, for callers that send many writes. Pure functions.
#ifndef CONTROLLERS_RUNTIME_WRITE_OUTCOME_H_
#define CONTROLLERS_RUNTIME_WRITE_OUTCOME_H_

#include "absl/status/status.h"

namespace steward::controllers {

enum class WriteOutcome {
  kDone,
  kAbsent,     // 404: there is no such object, or no such kind
  kConflict,   // 409: the object changed, or another object has the name
  kRefused,    // the server refuses the write: every other 4xx except those below
  kThrottled,  // 429: later
  kFailed,     // no answer, or one that says nothing about the write: 401, 408, 410, 5xx
};

WriteOutcome OutcomeOf(const absl::Status& status);

// True if a write failed because its namespace is being deleted or gone.
bool NamespaceEnds(const absl::Status& failure);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_WRITE_OUTCOME_H_
