#include "apiserver/http/connection/http_error.h"

#include "base/text/str_cat.h"

namespace steward::http {

HttpError RequestMemoryExhausted() {
  return {503, "ServiceUnavailable",
          "the server holds too many request bytes, please try again later"};
}

HttpError HeaderTooLarge(const Limits& limits) {
  return {431, "",
          StrCat("Request header fields too large: limit is ", limits.max_header_bytes,
                 " bytes in ", limits.max_header_fields, " fields")};
}

HttpError TargetTooLong(const Limits& limits) {
  return {414, "", StrCat("Request target too long: limit is ", limits.max_target_bytes)};
}

HttpError BodyTooLarge(size_t max_bytes) {
  return {413, "RequestEntityTooLarge", StrCat("Request entity too large: limit is ", max_bytes)};
}

absl::Status ToStatus(const HttpError& error) {
  switch (error.code) {
    case 413:
      return absl::OutOfRangeError(error.message);
    case 503:
      return absl::ResourceExhaustedError(error.message);
    default:
      return absl::InvalidArgumentError(error.message);
  }
}

}  // namespace steward::http
