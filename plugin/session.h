// What every command works with.
#ifndef PLUGIN_SESSION_H_
#define PLUGIN_SESSION_H_

#include <boost/json/object.hpp>

#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "plugin/terminal.h"

namespace steward::plugin {

// A cluster, a clock and somebody who looks on. REQUIRES: all of it outlives the command. A
// command's machine-readable account (docs/kubectl-steward.md) is gathered in `document` as it
// goes, so that it is there however the command ends.
struct Session {
  kube::Client& client;
  Clock& clock;
  Terminal& terminal;
  boost::json::object& document;
  // Nobody is asked.
  bool yes = false;
};

}  // namespace steward::plugin

#endif  // PLUGIN_SESSION_H_
