// The decoder is total, and what it returns has a name and a uid.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "kube/client/object_meta.h"
#include "kube/client/raw_object.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward;
  const auto decoded = kube::DecodeObjectMeta(
      kube::OwnedRawObject(std::string(reinterpret_cast<const char*>(data), size)));
  if (decoded.ok() && (decoded->meta.name.name.empty() || decoded->meta.uid.empty())) std::abort();
  return 0;
}
