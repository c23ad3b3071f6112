// A record that can be read is the same after it was written and read again.
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "olm/payload/payload_record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace steward;  // NOLINT(google-build-using-namespace)
  const absl::StatusOr<boost::json::value> value =
      ParseJson(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!value.ok() || !value->is_object()) return 0;
  const absl::StatusOr<olm::PayloadRecord> record = olm::ReadPayloadRecord(value->get_object());
  if (!record.ok()) return 0;
  const absl::StatusOr<boost::json::object> written = olm::WritePayloadRecord(*record);
  if (!written.ok()) return 0;
  const absl::StatusOr<olm::PayloadRecord> again = olm::ReadPayloadRecord(*written);
  if (!again.ok() || again->version != record->version || again->hash != record->hash ||
      again->state != record->state || again->removals.size() != record->removals.size() ||
      again->completed.has_value() != record->completed.has_value()) {
    std::abort();
  }
  return 0;
}
