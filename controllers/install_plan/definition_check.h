// The check of a new CustomResourceDefinition against the one that is there, and against its
// objects. A coroutine on the caller's executor.
#ifndef CONTROLLERS_INSTALL_PLAN_DEFINITION_CHECK_H_
#define CONTROLLERS_INSTALL_PLAN_DEFINITION_CHECK_H_

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::controllers {

// Finds out whether `wanted` may replace `live`. The result are warnings: versions that are served
// no more, a field that an object holds and the new schema would drop. kFailedPrecondition with one
// sentence: a stored version would go, a field would change that is fixed, or an object would not
// be valid any more; it names the version, or object and field. Where a webhook converts objects
// they are not checked, which is a warning. Objects are read page by page.
Task<std::vector<std::string>> CheckDefinition(kube::Client& client, boost::json::object live,
                                               boost::json::object wanted);

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_DEFINITION_CHECK_H_
