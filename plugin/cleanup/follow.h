// The wait until an operator is gone, with its progress. Not thread-safe.
#ifndef PLUGIN_CLEANUP_FOLLOW_H_
#define PLUGIN_CLEANUP_FOLLOW_H_

#include <optional>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"
#include "plugin/cleanup/progress.h"
#include "plugin/cluster/csv.h"
#include "plugin/cluster/operands.h"
#include "plugin/command/session.h"
#include "plugin/command/waiting.h"

namespace steward::plugin {

struct Followed {
  kube::NamespacedName csv;
  std::string uid;
  bool deletes_operands = false;
  std::vector<olm::CrdPlan> plans;
  // The operands that the user was shown; those that are gone before the first look count as
  // deleted. Absent: they could not be counted.
  std::optional<OperandCounts> shown;
};

struct FollowResult {
  // The operands that are left at the end; absent where operands are kept, or could not be counted.
  std::optional<OperandCounts> left;
};

// Reads the ClusterServiceVersion, which needs nothing of Steward, each second until it is gone or
// another object has its name. Its operands are counted more seldom the longer that takes. Requests
// that fail and may succeed later are shown and tried again. Returns Stalled when the controllers
// report a stall, and names what holds the operands, or when the deadline passes: the
// uninstallation itself continues then.
//
// REQUIRES: the session outlives the task.
Task<FollowResult> Follow(Session& session, Followed followed, Deadline deadline);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_FOLLOW_H_
