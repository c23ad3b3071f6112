#include <cstdint>
#include <string_view>

#include "apiserver/filters/authentication/extension_authentication_source.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto settings = steward::filters::ParseExtensionAuthentication(text);
  if (!settings.ok() && settings.status().code() != absl::StatusCode::kInvalidArgument)
    __builtin_trap();
  return 0;
}
