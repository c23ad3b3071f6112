// The decoders are total: they return for all bytes.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "olm/decode.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  if (auto csv = steward::olm::DecodeCsv(json); csv.ok()) {
    (void)steward::olm::DecodeIcon(**csv);
  }
  (void)steward::olm::DecodeOperatorGroup(json);
  (void)steward::olm::DecodeNamespace(json);
  (void)steward::olm::DecodeKey(json);
  return 0;
}
