// `kubectl steward doctor`: what is wrong with Steward in a cluster, and what mends it. Runs on the
// caller's executor.
#ifndef PLUGIN_DOCTOR_DOCTOR_H_
#define PLUGIN_DOCTOR_DOCTOR_H_

#include "base/async/task.h"
#include "plugin/command/command.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// Prints a line for each finding, with a remedy if something is wrong. kInternal if a check has
// failed. Parts that the user may not read are named, but are no failure. Only reads.
//
// REQUIRES: the session outlives the task.
StatusTask Examine(Session& session);

KnownCommand KnownDoctor();

}  // namespace steward::plugin

#endif  // PLUGIN_DOCTOR_DOCTOR_H_
