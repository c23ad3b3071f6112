// The command steward payload apply. Not thread-safe.
#ifndef PLUGIN_PAYLOAD_APPLY_H_
#define PLUGIN_PAYLOAD_APPLY_H_

#include "plugin/command/command.h"

namespace steward::plugin {

KnownCommand KnownPayloadApply();

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_APPLY_H_
