// The commands kubectl steward preview. Not thread-safe.
#ifndef PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_
#define PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_

#include "plugin/command/command.h"

namespace steward::plugin {

// Ask the API server what a plan (its own, or that which a Subscription waits for), a bundle, an
// uninstallation or a toggle would do, which changes nothing. They end with Forewarned where a step
// would fail, or nobody can tell.
KnownCommand KnownPreviewPlan();
KnownCommand KnownPreviewSubscription();
KnownCommand KnownPreviewBundle();
KnownCommand KnownPreviewUninstall();
KnownCommand KnownPreviewCopiedCsvs();

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_
