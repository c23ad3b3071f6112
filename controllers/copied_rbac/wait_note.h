// Reads kUnwantedSinceAnnotation of a copy, which waits for another copy to take its place. A pure
// function.
#ifndef CONTROLLERS_COPIED_RBAC_WAIT_NOTE_H_
#define CONTROLLERS_COPIED_RBAC_WAIT_NOTE_H_

#include "absl/time/time.h"
#include "olm/copied_rbac/rbac_object.h"

namespace steward::controllers {

// The time since the copy began to wait; 0 = nothing is noted. Infinite for a note that no leader
// can have written, so that nobody can prolong the wait by editing it.
absl::Duration WaitedFor(const olm::StoredRbac& copy, absl::Time now);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_WAIT_NOTE_H_
