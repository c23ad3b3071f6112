#include "apiserver/http/http_error.h"

#include "base/text/str_cat.h"

namespace steward::http {

HttpError RequestMemoryExhausted() {
  return {503, "ServiceUnavailable",
          "the server holds too many request bytes, please try again later"};
}

HttpError HeaderTooLarge(const Limits& limits) {
  return {431, "", StrCat("Request header fields too large: limit is ", limits.max_header_bytes)};
}

HttpError BodyTooLarge(const Limits& limits) {
  return {413, "RequestEntityTooLarge",
          StrCat("Request entity too large: limit is ", limits.max_body_bytes)};
}

}  // namespace steward::http
