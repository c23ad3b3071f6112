// kubectl steward restore.
#ifndef PLUGIN_RESTORE_H_
#define PLUGIN_RESTORE_H_

#include <string>

#include "base/async/task.h"
#include "plugin/session.h"

namespace steward::plugin {

struct RestoreOptions {
  std::string folder;
  bool dry_run = false;  // the server checks everything and keeps nothing
};

// Creates what was saved again: cluster-scoped objects first, then namespace by namespace. What is
// there stays as it is. Statuses, finalizers and owners are not restored. Every file is read before
// anything is created; what cannot be created is told, and does not keep the others from it: then
// the result is an error. May be repeated. Asks first.
//
// REQUIRES: the session outlives the task.
StatusTask Restore(Session& session, RestoreOptions options);

}  // namespace steward::plugin

#endif  // PLUGIN_RESTORE_H_
