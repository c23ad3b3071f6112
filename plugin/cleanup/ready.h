// The check whether a ClusterServiceVersion with an opt-in may be deleted: nothing blocks the
// cleanup, and the operator's rights are held until it has finished. Not thread-safe.
#ifndef PLUGIN_CLEANUP_READY_H_
#define PLUGIN_CLEANUP_READY_H_

#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "plugin/cleanup/agreement.h"
#include "plugin/cluster/csv.h"
#include "plugin/command/session.h"
#include "plugin/command/waiting.h"

namespace steward::plugin {

struct ReadyQuestion {
  kube::NamespacedName csv;
  std::string uid;
  Agreement agreed;
};

// Whether the opted-in operator can be deleted. `now` is its ClusterServiceVersion as just read.
// Refused if Steward would not clean up or cannot tell, or would delete more than was agreed to.
// False until Steward has taken up the opt-in, the condition RightsHeld is there, and all rights
// that the user may see are held. The rights are read because the condition may be of an earlier
// opt-in.
Task<bool> IsReady(Session& session, ReadyQuestion question, Csv now);

// Waits until IsReady. Stalled when the deadline passes first. OK also when another client deletes
// the ClusterServiceVersion.
StatusTask WaitUntilReady(Session& session, ReadyQuestion question, Deadline deadline);

// The error for a user whom the cluster does not let opt in or out.
absl::Status ExplainOptInDenied(const absl::Status& denied);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_READY_H_
