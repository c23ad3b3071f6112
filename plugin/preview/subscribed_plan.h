// Finds the InstallPlan that a Subscription waits for. Runs on the caller's executor.
#ifndef PLUGIN_PREVIEW_SUBSCRIBED_PLAN_H_
#define PLUGIN_PREVIEW_SUBSCRIBED_PLAN_H_

#include <string>

#include "base/async/task.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// Finds the InstallPlan that a Subscription in the session's namespace waits for, and returns its
// name. Also prints what the Subscription has installed and found, and adds it to the session's
// report. The plan is that of status.installPlanRef (status.installplan for old ones), if it is
// still the same object. "" = the Subscription waits for none, because all that it found is
// installed. Errors: Forewarned if there is no such plan yet or any more; Refused if the user may
// not read it; kNotFound if the Subscription does not exist.
Task<std::string> FindSubscribedPlan(Session& session, std::string name);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_SUBSCRIBED_PLAN_H_
