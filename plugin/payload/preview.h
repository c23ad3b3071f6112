// The command steward payload preview. Not thread-safe.
#ifndef PLUGIN_PAYLOAD_PREVIEW_H_
#define PLUGIN_PAYLOAD_PREVIEW_H_

#include "plugin/command/command.h"

namespace steward::plugin {

KnownCommand KnownPayloadPreview();

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_PREVIEW_H_
