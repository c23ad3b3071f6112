// The commands kubectl steward copied-csvs status, on and off. Not thread-safe.
#ifndef PLUGIN_COPIED_CSVS_TOGGLE_H_
#define PLUGIN_COPIED_CSVS_TOGGLE_H_

#include "absl/time/time.h"
#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"
#include "plugin/command/waiting.h"

namespace steward::plugin {

// Shows the cluster-admin's setting, what the controllers report about it, and the copies of each
// operator for all namespaces. REQUIRES: the session outlives the task.
StatusTask ShowCopies(Session& session);

struct ToggleOptions {
  bool off = false;  // the wanted disableCopiedCSVs
  bool dry_run = false;
  bool wait = true;
  absl::Duration timeout = kDefaultTimeout;  // zero = none
};

// Shows which copies the new setting deletes or makes, and asks. Writes the setting into the
// OLMConfig `cluster` with the user's own rights, making that object if there is none. Follows the
// condition until the controllers have carried it out. A dry run ends before the question. Stalled
// when the time has passed. REQUIRES: the session outlives the task.
StatusTask ToggleCopies(Session& session, ToggleOptions options);

KnownCommand KnownCopiesStatus();
KnownCommand KnownCopiesOn();
KnownCommand KnownCopiesOff();

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_TOGGLE_H_
