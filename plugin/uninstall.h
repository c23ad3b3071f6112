// kubectl steward uninstall.
#ifndef PLUGIN_UNINSTALL_H_
#define PLUGIN_UNINSTALL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "plugin/preview.h"
#include "plugin/session.h"

namespace steward::plugin {

struct UninstallOptions {
  kube::NamespacedName csv;
  Wish wish = Wish::kAsItIs;
  bool save = true;
  std::string folder;  // "" = SaveFolderFor
  bool wait = true;
  absl::Duration timeout;  // of all waiting; zero = none
  bool dry_run = false;    // the preview, and whether it would be let, and nothing else
  bool ignore_not_found = false;
};

// The folder that operands are saved to unless another is named: the same for each try of one
// uninstallation.
std::string SaveFolderFor(const kube::NamespacedName& csv, const std::string& uid);

// Uninstalls an operator. Its custom resources are deleted by Steward's controllers, never by this.
//
// 1. Everything is read, and every write that is to come is tried with dry-run: refused before
//    anything is changed. The preview is shown, and somebody asked once.
// 2. What Steward would delete is saved.
// 3. The opt-in is added (or with --keep removed), and waited until Steward says that nothing
// stands
//    against it and that the operator's rights are held. Refused: the opt-in is taken back.
// 4. Subscriptions and InstallPlans that would install it again are deleted.
// 5. What was changed since it was saved is saved again. The ClusterServiceVersion is looked at
// once
//    more, and deleted if it is still the same object in the state that was looked at.
// 6. It is waited for.
//
// Every step looks at what is there, so the same command after an end at any moment goes on.
// A ClusterServiceVersion of another UID than the preview's is never touched.
//
// REQUIRES: the session outlives the task.
StatusTask Uninstall(Session& session, UninstallOptions options);

}  // namespace steward::plugin

#endif  // PLUGIN_UNINSTALL_H_
