// The reader of properties is total, and reads what it has read before to the same.
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "olm/plan/optional_manifests.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  steward::olm::OptionalManifests once;
  if (!once.AddText(text).ok()) {
    if (!once.empty()) std::abort();
    return 0;
  }
  const size_t entries = once.entries().size();
  if (!once.AddText(text).ok() || once.entries().size() != entries) std::abort();
  return 0;
}
