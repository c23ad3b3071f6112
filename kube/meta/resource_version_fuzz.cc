#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "kube/meta/resource_version.h"

// Text that can be unpacked is a valid parameter, and packing its value yields the same text.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward::kube;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const bool number = IsResourceVersion(text);
  const auto parameter = ParseResourceVersionParameter(text);
  if (number && (!parameter.ok() || *parameter != text)) std::abort();
  if (parameter.ok() && !parameter->empty() && *parameter != "0" &&
      !IsResourceVersion(*parameter)) {
    std::abort();
  }
  const auto version = Unpack(text);
  if (!version.ok()) return 0;
  const auto again = Unpack(Pack(*version));
  if (!number || !again.ok() || !(*again == *version)) std::abort();
  if (CompareResourceVersions(text, Pack(*version)) < 0) std::abort();
  return 0;
}
