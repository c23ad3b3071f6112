// The declaration of a method of a service: its name, its check, and the right that it takes. Plain
// values.
#ifndef CONTROLLERS_RPC_BRIDGE_METHOD_H_
#define CONTROLLERS_RPC_BRIDGE_METHOD_H_

#include <string>

#include "absl/status/status.h"
#include "controllers/rpc/bridge/access.h"

namespace steward::rpc {

// The object of a call, and the action on it.
struct MethodTarget {
  // The right by which the call is authorized, and under which it is recorded.
  AccessAttributes access;
  // The UID of the object, when the request names it; for the record alone.
  std::string uid;
};

template <typename Request>
struct Method {
  const char* name;  // "Get"
  // Refuses requests that cannot be answered, before rights are checked. Errors carry a Kubernetes
  // Status.
  absl::Status (*check)(const Request& request);
  // Returns the target of a request, also of one that `check` refuses.
  MethodTarget (*target)(const Request& request);
  Access::Answer answer = Access::Answer::kKept;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_METHOD_H_
