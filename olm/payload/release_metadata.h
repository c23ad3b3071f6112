// The file release-metadata of a payload. A pure function.
#ifndef OLM_PAYLOAD_RELEASE_METADATA_H_
#define OLM_PAYLOAD_RELEASE_METADATA_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::olm {

inline constexpr size_t kMaxReleaseMetadata = 1 << 20;  // bytes

// The payload's version (R-003-48), which ReleaseVersion::Parse accepts. kInvalidArgument if the
// version is missing or invalid, the content is not a JSON object, or its `kind` is not
// cincinnati-metadata-v0; kResourceExhausted beyond kMaxReleaseMetadata.
absl::StatusOr<std::string> ReadReleaseVersion(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_RELEASE_METADATA_H_
