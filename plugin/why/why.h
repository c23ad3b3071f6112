// `kubectl steward why`: why operators watch a namespace, or do not. Runs on the caller's executor.
#ifndef PLUGIN_WHY_WHY_H_
#define PLUGIN_WHY_WHY_H_

#include <string>

#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

struct WhyOptions {
  std::string ns;        // the namespace asked about
  std::string csv = {};  // "" = all operators that the namespace shows
};

// Prints for each operator whether it watches the namespace and whether the namespace shows it,
// with the rules that decide it (olm::ExplainPresence), as far as the user may read what the rules
// need. kNotFound for an unknown namespace or operator.
//
// REQUIRES: the session outlives the task.
StatusTask ExplainWhy(Session& session, WhyOptions options);

KnownCommand KnownWhy();

}  // namespace steward::plugin

#endif  // PLUGIN_WHY_WHY_H_
