// The command kubectl steward restore. Not thread-safe.
#ifndef PLUGIN_SAVING_RESTORE_H_
#define PLUGIN_SAVING_RESTORE_H_

#include <string>

#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

struct RestoreOptions {
  std::string folder;
  bool dry_run = false;  // the server checks everything and keeps nothing
};

// Creates the saved objects again: cluster-scoped objects first, then namespace by namespace.
// Existing objects stay as they are. Statuses, finalizers and owners are not restored. Every file
// is read before anything is created. An object that cannot be created is reported, and the others
// are still created; the result is an error then. May be repeated. Asks first.
//
// REQUIRES: the session outlives the task.
StatusTask Restore(Session& session, RestoreOptions options);

KnownCommand KnownRestore();

}  // namespace steward::plugin

#endif  // PLUGIN_SAVING_RESTORE_H_
