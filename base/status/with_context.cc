#include "base/status/with_context.h"

#include "absl/strings/cord.h"
#include "base/text/str_cat.h"

namespace steward {

absl::Status WithContext(std::string_view doing, const absl::Status& status) {
  const std::string_view said = ToStd(status.message());
  absl::Status wrapped(
      status.code(),
      StrCat(doing, ": ", said.empty() ? ToStd(absl::StatusCodeToString(status.code())) : said));
  status.ForEachPayload([&wrapped](absl::string_view type, const absl::Cord& payload) {
    wrapped.SetPayload(type, payload);
  });
  return wrapped;
}

}  // namespace steward
