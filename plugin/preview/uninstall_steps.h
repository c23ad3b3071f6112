// Adds steps for an uninstallation's other objects than custom resources: those that are deleted
// along and those that stay. Reads with the user's rights. Runs on the caller's executor.
#ifndef PLUGIN_PREVIEW_UNINSTALL_STEPS_H_
#define PLUGIN_PREVIEW_UNINSTALL_STEPS_H_

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "plugin/preview/asked_preview.h"

namespace steward::plugin {

// Adds steps to the preview. First tries to delete the ClusterServiceVersion by a dry run, if the
// preview says that the user may delete it. Then adds steps for Subscriptions and InstallPlans that
// would install it again, which `kubectl steward uninstall` deletes before; for the objects that
// the garbage collector and OLM's finalizer delete, for its copies, and for the Operator that stays
// (bundle/dependents.h). Objects that the user may not read become one Unknown step. Names at most
// 1,000 objects, and counts the others as remaining. REQUIRES: the references outlive the call.
VoidTask AddWhatGoesAlong(kube::Client& client, kube::NamespacedName csv, AskedPreview& asked);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_UNINSTALL_STEPS_H_
