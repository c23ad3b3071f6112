// `kubectl steward tree`: what belongs to an operator. Runs on the caller's executor.
#ifndef PLUGIN_TREE_TREE_H_
#define PLUGIN_TREE_TREE_H_

#include "base/async/task.h"
#include "kube/meta/names.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// Prints an operator as a tree: the Subscriptions and InstallPlans that name it, what it owns in
// its namespace, its definitions, their custom resources in each namespace, and what these own. Of
// more than twenty objects of a kind in one place only the number is shown. Unreadable parts are
// named.
//
// REQUIRES: the session outlives the task.
StatusTask ShowTree(Session& session, kube::NamespacedName csv);

KnownCommand KnownTree();

}  // namespace steward::plugin

#endif  // PLUGIN_TREE_TREE_H_
