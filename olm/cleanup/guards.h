// The single guards of CleanupVerdict. Pure functions.
#ifndef OLM_CLEANUP_GUARDS_H_
#define OLM_CLEANUP_GUARDS_H_

#include <string>
#include <vector>

#include "olm/cleanup/facts.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"
#include "olm/objects.h"

namespace steward::olm {

// All of them: what the ClusterServiceVersion itself says, what could not be read, what else there
// is. None of them hides another, but what could not be read says nothing.
std::vector<CleanupBlocker> BlockersOf(const CleanupInputs& inputs);

// What the spec of a group says; `selected` are the namespaces that its selector matches, if it has
// one.
TargetSet SpecTargets(const OperatorGroup& group, const std::vector<std::string>& selected);
// The same of the one group; none where its selector's namespaces were not read. REQUIRES: there is
// exactly one.
TargetSet SpecTargets(const CleanupInputs& inputs);
// What its status says. REQUIRES: it says something.
TargetSet SyncedTargets(const GroupFacts& group);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_GUARDS_H_
