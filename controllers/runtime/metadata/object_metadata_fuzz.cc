// The decoder is total, and what it returns has a name and a uid.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "controllers/runtime/metadata/object_metadata.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto decoded = steward::controllers::DecodeObjectMetadata(
      std::string_view(reinterpret_cast<const char*>(data), size));
  if (decoded.ok() && (decoded->name.name.empty() || decoded->uid.empty())) std::abort();
  return 0;
}
