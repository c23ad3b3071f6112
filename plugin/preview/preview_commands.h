// The commands kubectl steward preview. Not thread-safe.
#ifndef PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_
#define PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_

#include "plugin/command/command.h"

namespace steward::plugin {

// These commands ask the API server what a plan (named directly or by its Subscription), a bundle,
// an uninstallation or a toggle would do. They change nothing. They end with Forewarned if a step
// would fail or its outcome is not known.
KnownCommand KnownPreviewPlan();
KnownCommand KnownPreviewSubscription();
KnownCommand KnownPreviewBundle();
KnownCommand KnownPreviewUninstall();
KnownCommand KnownPreviewCopiedCsvs();

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_PREVIEW_COMMANDS_H_
