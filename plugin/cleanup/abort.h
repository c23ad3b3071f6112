// The command kubectl steward abort. Not thread-safe.
#ifndef PLUGIN_CLEANUP_ABORT_H_
#define PLUGIN_CLEANUP_ABORT_H_

#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"
#include "plugin/command/waiting.h"

namespace steward::plugin {

struct AbortOptions {
  kube::NamespacedName csv;
  bool wait = true;
  absl::Duration timeout = kDefaultTimeout;  // zero = none
};

// Aborts a cleanup. If the operator is being uninstalled, withdraws the author's consent
// (spec.cleanup.enabled: false), so that Steward stops and releases it at once; operands that are
// deleted by then stay deleted. The task waits until Steward has released the operator. For any
// other operator, removes the opt-in. Asks first. OK when there is nothing to abort.
//
// REQUIRES: the session outlives the task.
StatusTask Abort(Session& session, AbortOptions options);

KnownCommand KnownAbort();

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_ABORT_H_
