#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/trace/traceparent.h"

// What goes on is valid, and stays as it is.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view value(reinterpret_cast<const char*>(data), size);
  const std::string valid = steward::ValidTraceparent(value);
  if (!valid.empty() && steward::ValidTraceparent(valid) != valid) std::abort();
  return 0;
}
