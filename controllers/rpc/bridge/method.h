// The declaration of a method of a service: its name, what it refuses, and the right that it takes.
// Plain values.
#ifndef CONTROLLERS_RPC_BRIDGE_METHOD_H_
#define CONTROLLERS_RPC_BRIDGE_METHOD_H_

#include <string>

#include "absl/status/status.h"
#include "controllers/rpc/bridge/access.h"

namespace steward::rpc {

// The object that a call is about, and what the call does to it.
struct MethodTarget {
  // The call is authorized by this, and recorded as this.
  AccessAttributes access;
  // Of the object, when the request says it; for the record alone.
  std::string uid;
};

template <typename Request>
struct Method {
  const char* name;  // "Get"
  // Refuses what nobody could answer, before rights are looked at. Errors carry a Kubernetes
  // Status.
  absl::Status (*check)(const Request& request);
  // Says the target of a request, also of one that `check` refuses.
  MethodTarget (*target)(const Request& request);
  Access::Answer answer = Access::Answer::kKept;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_METHOD_H_
