// Whether a ClusterServiceVersion that is opted in may be deleted: nothing stands against the
// cleanup, and the operator keeps the rights to finish.
#ifndef PLUGIN_READY_H_
#define PLUGIN_READY_H_

#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "olm/cleanup/target_set.h"
#include "plugin/csv.h"
#include "plugin/follow.h"
#include "plugin/session.h"

namespace steward::plugin {

struct ReadyQuestion {
  kube::NamespacedName csv;
  std::string uid;
  // Where somebody agreed to have custom resources deleted.
  olm::TargetSet targets;
};

// Refused when Steward says that it would not clean up, or cannot tell, or would delete in more
// namespaces than were agreed to. False while it has not taken up the opt-in, or not said that the
// rights are held, or they are not, as far as the user may see them: what was said may be of an
// earlier opt-in. `now` is the ClusterServiceVersion as just read.
Task<bool> IsReady(Session& session, ReadyQuestion question, Csv now);

// Until it is. Stalled when the deadline passes first. OK, too, when somebody else deletes it.
StatusTask WaitUntilReady(Session& session, ReadyQuestion question, Deadline deadline);

// What to say when the cluster does not let the user opt in or out.
absl::Status ExplainOptInDenied(const absl::Status& denied);

}  // namespace steward::plugin

#endif  // PLUGIN_READY_H_
