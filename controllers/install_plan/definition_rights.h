// Finds the operators that own a CustomResourceDefinition. Coroutines on the caller's executor.
#ifndef CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_
#define CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_

#include <boost/json/object.hpp>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::controllers {

// Returns the names of the definitions that a ClusterServiceVersion claims to own.
std::set<std::string> DefinitionsOwnedBy(const boost::json::object& csv);

// The namespaces of the operators that own a definition. Copies own nothing.
struct DefinitionOwners {
  std::set<std::string> all;
  std::set<std::string> lasting;  // namespaces of owners that are not being deleted
};
Task<DefinitionOwners> OwnersOf(kube::Client& client, std::string definition);

// Returns OK if an operator installed in `ns` owns the definition and no operator of another
// namespace does. Then plans of `ns` may change it, even if they otherwise run with only the rights
// of a service account. Nobody owns OLM's own definitions. Otherwise fails with
// kFailedPrecondition; its sentence names no other namespace, because readers of the plan may not
// know them.
absl::Status MayChangeDefinition(const DefinitionOwners& owners, const std::string& ns,
                                 const std::string& definition);

// Returns OK if a Service in `service_ns` may go on converting the existing definition:
// `service_ns` is `ns`, the plan's namespace, or has an operator that owns the definition. The
// first namespace to install a definition must not convert the objects of later owners.
absl::Status MayConvert(const DefinitionOwners& owners, const std::string& ns,
                        const std::string& service_ns, const std::string& definition);

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_DEFINITION_RIGHTS_H_
