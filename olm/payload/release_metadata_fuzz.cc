// Reads any bytes as the file release-metadata.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "olm/payload/release_metadata.h"
#include "olm/payload/release_version.h"

namespace {

void Check(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using steward::olm::ReleaseVersion;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<std::string> found = steward::olm::ReadReleaseVersion(text);
  // The bytes are also tried as a version itself.
  const absl::StatusOr<ReleaseVersion> version =
      ReleaseVersion::Parse(found.ok() ? std::string_view(*found) : text);
  Check(version.ok() || !found.ok());
  if (!version.ok()) return 0;
  Check(version->ToString() == (found.ok() ? std::string_view(*found) : text));
  Check(LevelOf(*version, *version) == steward::olm::UpdateLevel::kNone);
  const ReleaseVersion first{0, 0, 0, "-0"};
  const bool is_first = LevelOf(first, *version) == steward::olm::UpdateLevel::kNone;
  Check(is_first || LevelOf(*version, first) == steward::olm::UpdateLevel::kDowngrade);
  return 0;
}
