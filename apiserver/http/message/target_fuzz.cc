#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "apiserver/http/message/target.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view input(reinterpret_cast<const char*>(data), size);
  const auto target = steward::http::ParseTarget(input);
  // Decoding never makes text longer, and a path always begins with '/'.
  if (target.ok() && (target->path.size() > size || target->path.front() != '/')) std::abort();
  return 0;
}
