// The command kubectl steward uninstall. Not thread-safe.
#ifndef PLUGIN_CLEANUP_UNINSTALL_H_
#define PLUGIN_CLEANUP_UNINSTALL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "plugin/cleanup/preview.h"
#include "plugin/command/session.h"
#include "plugin/command/waiting.h"

namespace steward::plugin {

struct UninstallOptions {
  kube::NamespacedName csv;
  OperandPolicy policy = OperandPolicy::kAsItIs;
  bool save = true;
  std::string folder;  // "" = SaveFolderFor
  bool wait = true;
  absl::Duration timeout = kDefaultTimeout;  // of all waiting; zero = none
  bool dry_run = false;  // only shows the preview, and whether the writes would be allowed
  bool ignore_not_found = false;
};

// The folder for saved operands unless the user names another. It is the same for each try of one
// uninstallation.
std::string SaveFolderFor(const kube::NamespacedName& csv, const std::string& uid);

// Uninstalls an operator. Steward's controllers delete its custom resources; this code never does.
//
// 1. Everything is read, and every later write is tried with dry-run, so that a refusal comes
// before any change. The preview is shown, and the user is asked once. 2. The operands that Steward
// would delete are saved. 3. The opt-in is added (or with --keep removed). The command waits until
// Steward reports that nothing blocks the cleanup and that the operator's rights are held. If that
// is refused, for example because the operator now owns more than was shown, the opt-in is removed
// again. 4. Subscriptions and InstallPlans that would install the operator again are deleted. 5.
// Operands that changed since they were saved are saved again. The ClusterServiceVersion is read
// once more, and deleted if it is still the same object, in the state that was read, and owns what
// was shown. 6. The command waits until the ClusterServiceVersion is gone.
//
// Each step starts from the present state, so the command can be repeated after it ended at any
// moment. A ClusterServiceVersion of another UID than the preview's is never touched.
//
// REQUIRES: the session outlives the task.
StatusTask Uninstall(Session& session, UninstallOptions options);

}  // namespace steward::plugin

#endif  // PLUGIN_CLEANUP_UNINSTALL_H_
