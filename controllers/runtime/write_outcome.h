// The meaning of an answer to a write, for senders of many. Pure functions.
#ifndef CONTROLLERS_RUNTIME_WRITE_OUTCOME_H_
#define CONTROLLERS_RUNTIME_WRITE_OUTCOME_H_

#include "absl/status/status.h"

namespace steward::controllers {

enum class WriteOutcome {
  kDone,
  kAbsent,     // 404: there is no such object, or nothing of the kind
  kConflict,   // 409: it changed, or another one has the name
  kRefused,    // the server will not do it: every other answer of 4xx but those below
  kThrottled,  // 429: later
  kFailed,     // no answer, or one that says nothing of the write: 401, 408, 410, 5xx
};

WriteOutcome OutcomeOf(const absl::Status& status);

// True if a write failed since its namespace is going or gone.
bool NamespaceEnds(const absl::Status& failure);

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_WRITE_OUTCOME_H_
