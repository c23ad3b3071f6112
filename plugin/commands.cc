#include "plugin/commands.h"

#include "plugin/cleanup/abort.h"
#include "plugin/cleanup/status_command.h"
#include "plugin/cleanup/uninstall_command.h"
#include "plugin/copied_csvs/toggle.h"
#include "plugin/copied_csvs/verify.h"
#include "plugin/doctor/doctor.h"
#include "plugin/preview/preview_commands.h"
#include "plugin/removal/remove.h"
#include "plugin/saving/restore.h"
#include "plugin/tree/tree.h"
#include "plugin/version/version_command.h"
#include "plugin/why/why.h"

namespace steward::plugin {

const std::vector<KnownCommand>& KnownCommands() {
  // Each command has one line.
  static const auto& known = *new std::vector<KnownCommand>{
      KnownUninstall(),
      KnownStatus(),
      KnownWhy(),
      KnownTree(),
      KnownAbort(),
      KnownRestore(),
      {.name = "preview",
       .description = "What would happen: to a plan, a bundle, an operator, copies",
       .commands = {KnownPreviewPlan(), KnownPreviewSubscription(), KnownPreviewBundle(),
                    KnownPreviewUninstall(), KnownPreviewCopiedCsvs()}},
      {.name = "copied-csvs",
       .description = "Copied ClusterServiceVersions, and the way off them",
       .commands = {KnownCopiesStatus(), KnownCopiesOn(), KnownCopiesOff(), KnownVerify()}},
      KnownDoctor(),
      KnownRemove(),
      KnownVersion(),
  };
  return known;
}

}  // namespace steward::plugin
