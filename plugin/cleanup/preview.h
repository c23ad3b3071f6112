// The preview of an uninstallation. Values; the functions run on the caller's executor.
#ifndef PLUGIN_CLEANUP_PREVIEW_H_
#define PLUGIN_CLEANUP_PREVIEW_H_

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/target_set.h"
#include "plugin/cleanup/agreement.h"
#include "plugin/cluster/cleanup_status.h"
#include "plugin/cluster/csv.h"
#include "plugin/cluster/operands.h"
#include "plugin/cluster/related.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// The user's policy for the operands.
enum class OperandPolicy {
  kAsItIs,  // as the ClusterServiceVersion says
  kDelete,  // --cleanup
  kKeep,    // --keep
};

// The changes of the administrator's opt-in that follow from the policy.
struct OptInChange {
  bool deletes_operands = false;
  bool opt_in = false;   // the finalizer must be added
  bool opt_out = false;  // the finalizer must be removed
};
// Returns Refused when --cleanup asks for a cleanup that the author does not support. The opt-in of
// an operator that is being deleted cannot change any more.
absl::StatusOr<OptInChange> OptInChangeFor(OperandPolicy policy, const olm::CsvFacts& facts);

struct Preview {
  Csv csv;
  CleanupStatus status;
  OptInChange opt_in_change;
  olm::TargetSet targets;
  std::vector<olm::CrdPlan> plans;
  std::optional<OperandCounts> operands;  // absent: they could not be counted
  std::string why_uncounted;
  std::vector<RelatedObject> related;

  Agreement Agreed() const { return AgreementOf(csv, plans, targets); }
  // The blockers, except missing support by the author and a missing opt-in. Empty where operands
  // are kept.
  std::vector<CleanupStatus::Blocker> Blockers() const;
};

// Reads everything. kNotFound (kube::IsNotFound) when there is no such ClusterServiceVersion. Fails
// if operands would be deleted and cannot be counted.
Task<Preview> MakePreview(kube::Client& client, kube::NamespacedName name, OperandPolicy policy);

// Returns the targets of a cleanup at this moment, as far as they can be known before the opt-in.
Task<olm::TargetSet> ReadTargets(kube::Client& client, CleanupStatus status);

// Rows for people. `saving` says what happens to the deleted objects. `refused`: the command will
// do nothing of this.
std::vector<Terminal::Row> PreviewRows(const Preview& preview, const std::string& saving,
                                       bool refused);
// The preview for programs.
boost::json::object PreviewJson(const Preview& preview);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_PREVIEW_H_
