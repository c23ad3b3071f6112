// The custom resources that an uninstallation affects, as far as the user may read them. Runs on
// the caller's executor.
#ifndef PLUGIN_CLUSTER_OPERANDS_H_
#define PLUGIN_CLUSTER_OPERANDS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/target_set.h"

namespace steward::plugin {

// Returns one plan for each owned definition, in order, made from the present definitions. Fails
// when a definition cannot be read.
Task<std::vector<olm::CrdPlan>> ReadPlans(kube::Client& client, std::set<std::string> owned,
                                          olm::TargetSet targets);

struct OperandVisitor {
  // Called before each try, because the list begins again: objects visited so far no longer count.
  std::function<void()> begin;
  std::function<absl::Status(const kube::RawObject&, const std::string& version)> visit;
};
// Visits the objects of one definition, in the first served version that answers. If the user may
// not list the whole cluster, visits only the target namespaces and returns false.
Task<bool> VisitOperands(kube::Client& client, const olm::CrdPlan& plan, bool metadata_only,
                         OperandVisitor visitor);

// An object that is being deleted, and the finalizers that hold it.
struct HeldOperand {
  std::string crd;
  kube::NamespacedName name;
  std::string since;  // RFC 3339
  std::vector<std::string> finalizers;
};

struct CrdCount {
  std::string crd;
  std::map<std::string, int64_t> to_delete;  // by namespace ("" = cluster-scoped)
  int64_t deleting = 0;                      // of these, those marked already
  int64_t kept = 0;                          // all others
  bool kept_known = true;                    // false: only the targets could be listed
  std::string why_kept;

  int64_t pending() const;
};

struct OperandCounts {
  std::vector<CrdCount> crds;
  std::vector<HeldOperand> oldest;  // those marked longest ago, kMostHeld at most

  int64_t pending() const;
  int64_t kept() const;
};
inline constexpr size_t kMostHeld = 5;

// Counts by lists of metadata. Memory: a few words per namespace. Fails when a definition's objects
// cannot be listed.
Task<OperandCounts> CountOperands(kube::Client& client, std::vector<olm::CrdPlan> plans);

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_OPERANDS_H_
