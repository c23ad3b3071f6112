// The individual guards behind CleanupVerdict. Pure functions.
#ifndef OLM_CLEANUP_GUARDS_H_
#define OLM_CLEANUP_GUARDS_H_

#include <string>
#include <vector>

#include "olm/cleanup/facts.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"
#include "olm/objects.h"

namespace steward::olm {

// All blockers: from the ClusterServiceVersion itself, from failed reads, from other objects. No
// blocker hides another, but an unreadable object yields no blockers of its own.
std::vector<CleanupBlocker> BlockersOf(const CleanupInputs& inputs);

// The targets in a group's spec. If the group has a selector, `selected` are the namespaces that
// the selector matches.
TargetSet SpecTargets(const OperatorGroup& group, const std::vector<std::string>& selected);
// The targets in the spec of the only group; none when its selector's namespaces were not read.
// REQUIRES: there is exactly one group.
TargetSet SpecTargets(const CleanupInputs& inputs);
// The targets in the group's status. REQUIRES: `synced` has a value.
TargetSet SyncedTargets(const GroupFacts& group);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_GUARDS_H_
