// UUIDs (RFC 4122). Pure functions.
#ifndef KUBE_META_UUID_H_
#define KUBE_META_UUID_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace steward::kube {

// The version 4 UUID made of these random bytes (section 4.4), in lower case.
std::string UuidV4(std::array<uint8_t, 16> random);

// The version 5 UUID (section 4.3) of `name` in `namespace_uuid`, in lower case. A namespace that
// is not a UUID (Kubernetes does not promise that UIDs are) still gives a well-formed,
// deterministic result: its text is hashed in place of its 16 bytes.
std::string UuidV5(std::string_view namespace_uuid, std::string_view name);

}  // namespace steward::kube

#endif  // KUBE_META_UUID_H_
