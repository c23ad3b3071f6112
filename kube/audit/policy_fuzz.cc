#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "kube/audit/event.h"
#include "kube/audit/policy.h"
#include "kube/meta/user_info.h"

// Every policy that parses decides about requests of every shape.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward::audit;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<Policy> policy = Policy::Parse(text);
  if (!policy.ok()) return 0;
  const steward::kube::UserInfo user{.name = "alice", .groups = {"system:authenticated"}};
  const ObjectReference object{.resource = "pods", .ns = "default", .subresource = "log"};
  (void)policy->Decide({.user = &user, .verb = "get", .object = &object, .path = "/api/v1/pods"});
  (void)policy->Decide({.verb = "get", .path = "/healthz"});
  return 0;
}
