// The file release-metadata of a payload. A pure function.
#ifndef OLM_PAYLOAD_RELEASE_METADATA_H_
#define OLM_PAYLOAD_RELEASE_METADATA_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace steward::olm {

inline constexpr size_t kMaxReleaseMetadata = 1 << 20;  // bytes

// The payload's version (R-003-48), one that ReleaseVersion::Parse takes. kInvalidArgument when
// there is none, the content is no JSON object, or it says that it is of another kind than
// cincinnati-metadata-v0; kResourceExhausted beyond kMaxReleaseMetadata.
absl::StatusOr<std::string> ReadReleaseVersion(std::string_view json);

}  // namespace steward::olm

#endif  // OLM_PAYLOAD_RELEASE_METADATA_H_
