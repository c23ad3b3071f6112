// kubectl steward abort.
#ifndef PLUGIN_ABORT_H_
#define PLUGIN_ABORT_H_

#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "plugin/session.h"

namespace steward::plugin {

struct AbortOptions {
  kube::NamespacedName csv;
  bool wait = true;
  absl::Duration timeout;  // zero = none
};

// Calls a cleanup off. Of an operator that is being uninstalled, the author's word is taken back
// (spec.cleanup.enabled: false), which has Steward stop and let go at once; what is deleted by then
// stays deleted, and waited for until Steward has let go. Of any other the opt-in is removed.
// Asks first. OK when there is nothing to call off.
//
// REQUIRES: the session outlives the task.
StatusTask Abort(Session& session, AbortOptions options);

}  // namespace steward::plugin

#endif  // PLUGIN_ABORT_H_
