// The command steward payload preflight. Not thread-safe.
#ifndef PLUGIN_PAYLOAD_PREFLIGHT_H_
#define PLUGIN_PAYLOAD_PREFLIGHT_H_

#include "plugin/command/command.h"

namespace steward::plugin {

KnownCommand KnownPayloadPreflight();

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_PREFLIGHT_H_
