// The command steward payload lint. Not thread-safe.
#ifndef PLUGIN_PAYLOAD_LINT_H_
#define PLUGIN_PAYLOAD_LINT_H_

#include "plugin/command/command.h"

namespace steward::plugin {

KnownCommand KnownPayloadLint();

}  // namespace steward::plugin

#endif  // PLUGIN_PAYLOAD_LINT_H_
