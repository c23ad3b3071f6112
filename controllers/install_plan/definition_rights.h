// Whose a CustomResourceDefinition is. Coroutines on the caller's executor.
#ifndef CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_
#define CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_

#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::controllers {

// The names of the definitions that a ClusterServiceVersion says it owns.
std::set<std::string> DefinitionsOwnedBy(const boost::json::object& csv);

// The namespaces of the operators that own a definition. Copies own nothing.
struct DefinitionOwners {
  std::set<std::string> all;
  std::set<std::string> lasting;  // of those that are not being deleted
};
Task<DefinitionOwners> OwnersOf(kube::Client& client, std::string definition);

// OK where an operator that is installed in `ns` owns the definition, and none of another namespace
// does: its plans may change it, though they are executed with no more rights than a service
// account has. OLM's own definitions are nobody's. Else kFailedPrecondition, with a sentence that
// names no other namespace, which the readers of a plan may not know.
absl::Status MayChangeDefinition(const DefinitionOwners& owners, const std::string& ns,
                                 const std::string& definition);

// OK where a definition that is there may go on being converted by a Service of the namespace
// `service_ns`: it is `ns`, that of the plan, or has an operator that owns the definition. Whoever
// was first to bring a definition of this name must not convert the objects of whoever comes later.
absl::Status MayConvert(const DefinitionOwners& owners, const std::string& ns,
                        const std::string& service_ns, const std::string& definition);

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_
