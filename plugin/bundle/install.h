// The command steward bundle install. Not thread-safe.
#ifndef PLUGIN_BUNDLE_INSTALL_H_
#define PLUGIN_BUNDLE_INSTALL_H_

#include <string>

#include "base/async/task.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

struct InstallOptions {
  bool approve = false;
  bool ignore_requirements = false;
};

// Makes what catalog-operator makes of a bundle, with the user's own rights: an InstallPlan in the
// session's namespace, the ConfigMap that holds the manifests and belongs to the plan, and the
// plan's status. The names of plan and ConfigMap follow from the bundle's content. So a second run
// finishes what the first began and leaves finished objects alone; with `approve` it approves the
// plan. If the plan is Complete but its objects are gone or changed, another plan is made. Refused
// if a plan or ConfigMap of that name has another content, or UnmetRequirements finds something.
// REQUIRES: the session outlives the task.
StatusTask InstallBundle(Session& session, BundleFolder bundle, InstallOptions options);

KnownCommand KnownBundleInstall();

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_INSTALL_H_
