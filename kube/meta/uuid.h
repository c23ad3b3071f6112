// Deterministic UUIDs (RFC 4122, section 4.3).
#ifndef KUBE_META_UUID_H_
#define KUBE_META_UUID_H_

#include <string>
#include <string_view>

namespace steward::kube {

// The version 5 UUID of `name` in `namespace_uuid`, in lower case. A namespace that is not a UUID
// (Kubernetes does not promise that UIDs are) still gives a well-formed, deterministic result: its
// text is hashed in place of its 16 bytes.
std::string UuidV5(std::string_view namespace_uuid, std::string_view name);

}  // namespace steward::kube

#endif  // KUBE_META_UUID_H_
