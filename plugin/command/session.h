// The environment of every command. Not thread-safe.
#ifndef PLUGIN_COMMAND_SESSION_H_
#define PLUGIN_COMMAND_SESSION_H_

#include <boost/json/object.hpp>
#include <string>

#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// The version of this program.
struct ClientVersion {
  std::string git_version;
  std::string git_commit;      // "" = not known, and so are the next two
  std::string git_tree_state;  // "clean" or "dirty"
  std::string build_date;      // RFC 3339, UTC
  std::string platform;        // "linux/amd64"
};

// A cluster, a clock and the user's terminal. REQUIRES: all of them outlive the command. A
// command's machine-readable report (docs/kubectl-steward.md) grows in `document` as it goes, so
// that it exists however the command ends.
struct Session {
  kube::Client& client;
  Clock& clock;
  Terminal& terminal;
  boost::json::object& document;
  // True if no questions are asked.
  bool yes = false;
  // The namespace that the user works in.
  std::string ns = {};
  // True if people want all that there is to say.
  bool wide = false;
  ClientVersion version = {};
};

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_SESSION_H_
