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
  std::string git_commit;      // "" = not known; then the next two are "", too
  std::string git_tree_state;  // "clean" or "dirty"
  std::string build_date;      // RFC 3339, UTC
  std::string platform;        // "linux/amd64"
};

// A cluster, a clock and the user's terminal. REQUIRES: all of them outlive the command. While a
// command runs, it adds to its machine-readable report (docs/kubectl-steward.md) in `document`, so
// that there is a report however the command ends.
struct Session {
  kube::Client& client;
  Clock& clock;
  Terminal& terminal;
  boost::json::object& document;
  // True if the user is not to be asked (--yes).
  bool yes = false;
  // The namespace that the user works in.
  std::string ns = {};
  // True for --output=wide: people want all details.
  bool wide = false;
  ClientVersion version = {};
};

}  // namespace steward::plugin

#endif  // PLUGIN_COMMAND_SESSION_H_
