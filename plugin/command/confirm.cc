#include "plugin/command/confirm.h"

#include "plugin/command/exit.h"

namespace steward::plugin {

absl::Status Confirm(Session& session, std::string_view question) {
  if (session.yes) return absl::OkStatus();
  if (!session.terminal.can_ask()) {
    return Misused("there is no terminal to ask on; say --yes to go on without being asked");
  }
  return session.terminal.Ask(question) ? absl::OkStatus() : Refused("nothing was changed");
}

}  // namespace steward::plugin
