// The question before a change. Not thread-safe.
#ifndef PLUGIN_COMMAND_CONFIRM_H_
#define PLUGIN_COMMAND_CONFIRM_H_

#include <string_view>

#include "absl/status/status.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// OK when the user says yes, or gave --yes. Refused when the user says no; Misused when there is no
// terminal on which to ask.
absl::Status Confirm(Session& session, std::string_view question);

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_CONFIRM_H_
