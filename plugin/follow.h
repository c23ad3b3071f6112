// Waiting for an operator to be gone, and telling how far that is.
#ifndef PLUGIN_FOLLOW_H_
#define PLUGIN_FOLLOW_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"
#include "olm/cleanup/plan.h"
#include "plugin/csv.h"
#include "plugin/operands.h"
#include "plugin/progress.h"
#include "plugin/session.h"

namespace steward::plugin {

// A time limit for waiting, by the monotonic clock.
class Deadline {
 public:
  // `limit` zero = none. REQUIRES: `clock` outlives this.
  Deadline(Clock& clock, absl::Duration limit)
      : clock_(clock),
        limit_(limit),
        end_(limit == absl::ZeroDuration() ? absl::InfiniteDuration() : clock.Monotonic() + limit) {
  }
  bool Passed() const { return clock_.Monotonic() >= end_; }
  absl::Duration limit() const { return limit_; }

 private:
  Clock& clock_;
  absl::Duration limit_;
  absl::Duration end_;
};

struct Followed {
  kube::NamespacedName csv;
  std::string uid;
  bool deletes_operands = false;
  std::vector<olm::CrdPlan> plans;
};

struct FollowResult {
  // Operands that are left at the end; absent where operands are kept, or could not be counted.
  std::optional<OperandCounts> left;
};

// Looks at the ClusterServiceVersion, which needs nothing of Steward, each second until it is gone
// or another has its name. Its operands are counted more seldom the longer that takes. Failing
// requests that may succeed later are shown and tried again. Stalled when the controllers say so,
// naming what holds, or when the deadline passes: the uninstallation itself goes on then.
//
// REQUIRES: the session outlives the task.
Task<FollowResult> Follow(Session& session, Followed followed, Deadline deadline);

}  // namespace steward::plugin

#endif  // PLUGIN_FOLLOW_H_
