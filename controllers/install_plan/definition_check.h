// Checks a new CustomResourceDefinition against the existing one and its objects. A coroutine on
// the caller's executor.
#ifndef CONTROLLERS_INSTALL_PLAN_DEFINITION_CHECK_H_
#define CONTROLLERS_INSTALL_PLAN_DEFINITION_CHECK_H_

#include <boost/json/object.hpp>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::controllers {

// Checks whether `wanted` may replace `live`. Returns warnings: versions that are no longer served,
// or a field that an object holds and the new schema would drop. Fails with kFailedPrecondition and
// one sentence that names the version, or the object and field: a stored version would go, an
// immutable field would change, or an object would become invalid. Objects that a webhook converts
// are not checked, which is a warning. Objects are read page by page.
Task<std::vector<std::string>> CheckDefinition(kube::Client& client, boost::json::object live,
                                               boost::json::object wanted);

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_DEFINITION_CHECK_H_
