// A check of Steward's namespace. The function runs on the caller's executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_STEWARD_NAMESPACE_H_
#define CONTROLLERS_APISERVICE_GUARD_STEWARD_NAMESPACE_H_

#include <string>

#include "base/async/task.h"
#include "kube/client/client.h"

namespace steward::controllers {

// False when the namespace is being deleted, or does not exist.
Task<bool> NamespaceStands(kube::Client& client, const std::string& ns);

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_STEWARD_NAMESPACE_H_
