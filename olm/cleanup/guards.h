// The single guards of CleanupVerdict.
#ifndef OLM_CLEANUP_GUARDS_H_
#define OLM_CLEANUP_GUARDS_H_

#include <optional>
#include <string>
#include <vector>

#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"
#include "olm/objects.h"

namespace steward::olm {

// One for each input that could not be read, and the OperatorGroup whose status is not written yet.
// REQUIRES: inputs.csv.ok()
std::vector<CleanupBlocker> UnreadableInputs(const CleanupInputs& inputs);

// The refusals that need more than the ClusterServiceVersion. REQUIRES: UnreadableInputs is empty.
std::vector<CleanupBlocker> OtherRefusals(const CleanupInputs& inputs);

// Other ClusterServiceVersions, no proven copies, that stand in the way of one.
struct OtherOperators {
  std::vector<kube::NamespacedName> owners;     // of definitions that it owns
  std::vector<kube::NamespacedName> requirers;  // of those
  std::vector<kube::NamespacedName> replacers;  // of it
};

// What is not only read live but watched, too.
struct WatchedInputs {
  const CsvFacts& csv;
  const InstallNamespaceFacts* install_namespace;  // null = there is none
  const std::vector<GroupFacts>& groups;
  const OtherOperators& others;
  const std::optional<CleanupRecord>& remembered;
};
// Those of OtherRefusals that follow from it.
std::vector<CleanupBlocker> WatchedRefusals(const WatchedInputs& inputs);

// Its status does not say yet what its spec means (R-000-62).
bool IsNotSynced(const GroupFacts& group);
CleanupBlocker NotSynced(const GroupFacts& group);
// Its status cannot be understood. REQUIRES: it says so.
CleanupBlocker InvalidStatus(const OperatorGroup& group);

// What the spec of a group says; `selected` are the namespaces that its selector matches, if it has
// one.
TargetSet SpecTargets(const OperatorGroup& group, const std::vector<std::string>& selected);
// The same of the one group. REQUIRES: there is exactly one, and `selected` was read if it has a
// selector.
TargetSet SpecTargets(const CleanupInputs& inputs);
// What its status says. REQUIRES: it says something.
TargetSet SyncedTargets(const GroupFacts& group);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_GUARDS_H_
