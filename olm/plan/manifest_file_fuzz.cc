#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "olm/plan/manifest_file.h"

// Something is taken, or it is said why not.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const steward::olm::ManifestFile file = steward::olm::ReadManifestFile(text, 1 << 16);
  if (file.object.empty() == file.left_out.empty()) std::abort();
  return 0;
}
