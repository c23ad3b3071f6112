#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/trace/traceparent.h"

// A value that is passed on is valid, and passing it on again does not change it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  const std::string valid = steward::ValidTraceparent(value);
  if (!valid.empty() && steward::ValidTraceparent(valid) != valid) std::abort();
  return 0;
}
