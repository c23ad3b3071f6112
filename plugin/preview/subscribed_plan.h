// The InstallPlan that a Subscription waits for. Runs on the caller's executor.
#ifndef PLUGIN_PREVIEW_SUBSCRIBED_PLAN_H_
#define PLUGIN_PREVIEW_SUBSCRIBED_PLAN_H_

#include <string>

#include "base/async/task.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// Prints what a Subscription in the session's namespace has installed and what it has found, puts
// it into the session's report, and returns the name of the InstallPlan that it waits for: that of
// its status.installPlanRef (status.installplan, of old ones), if it is the same object still; ""
// where it waits for none, since all it has found is installed. Errors: Forewarned where there is
// nothing yet, or not any more, that it could be waiting for; Refused where one may not read it;
// kNotFound where there is no such Subscription.
Task<std::string> FindSubscribedPlan(Session& session, std::string name);

}  // namespace steward::plugin

#endif  // PLUGIN_PREVIEW_SUBSCRIBED_PLAN_H_
