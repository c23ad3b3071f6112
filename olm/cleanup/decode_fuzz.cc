#include <cstddef>
#include <cstdint>
#include <string_view>

#include "olm/cleanup/decode.h"
#include "olm/cleanup/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  (void)steward::olm::DecodeCsvFacts(text);
  (void)steward::olm::DecodeCsvFacts(text, {true, true});
  (void)steward::olm::DecodeApiServiceFacts(text);
  (void)steward::olm::DecodeOperatorGroupFacts(text);
  (void)steward::olm::DecodeInstallNamespace(text);
  (void)steward::olm::DecodeCsvDefinition(text);
  (void)steward::olm::DecodeCrdFacts(text);
  (void)steward::olm::DecodeDeploymentFacts(text);
  const absl::StatusOr<steward::olm::CleanupRecord> record = steward::olm::DecodeRecord(text);
  if (record.ok() && *steward::olm::DecodeRecord(EncodeRecord(*record)) != *record)
    __builtin_trap();
  return 0;
}
