// `kubectl steward tree`: what belongs to an operator. Runs on the caller's executor.
#ifndef PLUGIN_TREE_TREE_H_
#define PLUGIN_TREE_TREE_H_

#include "base/async/task.h"
#include "kube/meta/names.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// Prints an operator with the Subscriptions and InstallPlans that name it, what it owns in its
// namespace, its definitions, and of these the custom resources in each namespace with what they
// own; of more than twenty of a kind of place, how many there are. Unreadable parts are named.
//
// REQUIRES: the session outlives the task.
StatusTask ShowTree(Session& session, kube::NamespacedName csv);

KnownCommand KnownTree();

}  // namespace steward::plugin

#endif  // PLUGIN_TREE_TREE_H_
