// The single guards of CleanupVerdict.
#ifndef OLM_CLEANUP_GUARDS_H_
#define OLM_CLEANUP_GUARDS_H_

#include <vector>

#include "olm/cleanup/verdict.h"

namespace steward::olm {

// One for each input that could not be read, and the OperatorGroup whose status is not written yet.
// REQUIRES: inputs.csv.ok()
std::vector<CleanupBlocker> UnreadableInputs(const CleanupInputs& inputs);

// The refusals that need more than the ClusterServiceVersion. REQUIRES: UnreadableInputs is empty.
std::vector<CleanupBlocker> OtherRefusals(const CleanupInputs& inputs);

// What the spec of the one OperatorGroup says now. REQUIRES: there is exactly one, it means
// something, and `selected` was read if it has a selector.
TargetSet SpecTargets(const CleanupInputs& inputs);
// What its status says. REQUIRES: it says something.
TargetSet SyncedTargets(const GroupFacts& group);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_GUARDS_H_
