// The commands kubectl steward preview. Not thread-safe.
#ifndef PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_
#define PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_

#include "plugin/command/command.h"

namespace steward::plugin {

// Ask the API server what a plan, a bundle, an uninstallation or a toggle would do, which changes
// nothing. They end with Forewarned where a step would fail, or nobody can tell.
KnownCommand KnownPreviewPlan();
KnownCommand KnownPreviewBundle();
KnownCommand KnownPreviewUninstall();
KnownCommand KnownPreviewCopiedCsvs();

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_
