// Whose a CustomResourceDefinition is. Coroutines on the caller's executor.
#ifndef CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_
#define CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_

#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::controllers {

// The names of the definitions that a ClusterServiceVersion says it owns.
std::set<std::string> DefinitionsOwnedBy(const boost::json::object& csv);

// OK where an operator that is installed in `ns` owns the definition, and none of another namespace
// does: its plans may change it, though they are executed with no more rights than a service
// account has. Copies, and operators of `ns` that are being deleted, own nothing. Else
// kFailedPrecondition, with a sentence that names no other namespace, which the readers of a plan
// may not know.
StatusTask MayChangeDefinition(kube::Client& client, std::string ns, std::string definition);

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_
