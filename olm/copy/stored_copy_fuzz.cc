// The reader is total: it returns for all bytes, and what it has read it reads the same again.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "olm/copy/stored_copy.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view json(reinterpret_cast<const char*>(data), size);
  const auto copy = steward::olm::ReadStoredCopy(json);
  if (!copy.ok()) return 0;
  (void)steward::olm::MayOverwrite(*copy, "ops");
  (void)steward::olm::IsProvenCopy(*copy);
  const auto again = steward::olm::ReadStoredCopy(json);
  if (!again.ok() || !again->SameContent(*copy)) std::abort();
  return 0;
}
