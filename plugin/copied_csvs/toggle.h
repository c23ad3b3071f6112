// The commands kubectl steward copied-csvs status, on and off. Not thread-safe.
#ifndef PLUGIN_COPIED_CSVS_TOGGLE_H_
#define PLUGIN_COPIED_CSVS_TOGGLE_H_

#include "absl/time/time.h"
#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"
#include "plugin/command/waiting.h"

namespace steward::plugin {

// Shows the cluster-admin's choice, what the controllers say of it, and the copies of each operator
// for all namespaces. REQUIRES: the session outlives the task.
StatusTask ShowCopies(Session& session);

struct ToggleOptions {
  bool off = false;  // what shall be
  bool dry_run = false;
  bool wait = true;
  absl::Duration timeout = kDefaultTimeout;  // zero = none
};

// Shows which copies the choice deletes or makes, asks, writes it into the OLMConfig `cluster` with
// the user's own rights (which makes one where there is none), and follows the condition until the
// controllers have carried it out. A dry run ends before the question. Stalled when the time has
// passed. REQUIRES: the session outlives the task.
StatusTask ToggleCopies(Session& session, ToggleOptions options);

KnownCommand KnownCopiesStatus();
KnownCommand KnownCopiesOn();
KnownCommand KnownCopiesOff();

}  // namespace steward::plugin

#endif  // PLUGIN_COPIED_CSVS_TOGGLE_H_
