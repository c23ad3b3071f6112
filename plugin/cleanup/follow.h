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

// Reads the ClusterServiceVersion itself each second, which works without Steward, until it is gone
// or another object has its name. The longer it takes to count the operands, the more seldom they
// are counted. Failures that may pass are shown, and the request is tried again. Returns Stalled,
// naming what holds the operands, when the controllers report a stall or the deadline passes; the
// uninstallation itself goes on.
//
// REQUIRES: the session outlives the task.
Task<FollowResult> Follow(Session& session, Followed followed, Deadline deadline);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_FOLLOW_H_
