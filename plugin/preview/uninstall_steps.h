// Steps of an uninstallation beside the custom resources: the objects that it takes along and
// leaves behind, read with the user's rights. Runs on the caller's executor.
#ifndef PLUGIN_PREVIEW_UNINSTALL_STEPS_H_
#define PLUGIN_PREVIEW_UNINSTALL_STEPS_H_

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "plugin/preview/asked_preview.h"

namespace steward::plugin {

// Tries the deletion of the ClusterServiceVersion by a dry run, where the preview says that the
// user may delete it, and adds steps: for Subscriptions and InstallPlans that would install it
// again, which `kubectl steward uninstall` deletes before; for what the garbage collector and
// OLM's finalizer take, for its copies, and for the Operator that stays (bundle/dependents.h). What
// may not be read is one step that is Unknown. Names at most 1,000, and counts the others as
// remaining. REQUIRES: the references outlive the call.
VoidTask AddWhatGoesAlong(kube::Client& client, kube::NamespacedName csv, AskedPreview& asked);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_UNINSTALL_STEPS_H_
