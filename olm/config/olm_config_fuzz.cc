// The reader is total: it returns for all bytes, and a condition that was set says so already.
#include <boost/json/object.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json/json_text.h"
#include "olm/config/olm_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)steward::olm::ReadOlmConfig(text);
  auto value = steward::ParseJson(text);
  if (!value.ok() || !value->is_object()) return 0;
  boost::json::object& config = value->get_object();
  (void)steward::olm::SetCopiesCondition({.disabled = true}, "T", config);
  if (steward::olm::SetCopiesCondition({.disabled = true}, "T", config)) std::abort();
  return 0;
}
