#include "kube/client/http_status.h"

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

constexpr size_t kMaxQuotedBytes = 256;

std::string ReasonOf(int http_code) {
  switch (http_code) {
    case 400:
      return "BadRequest";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "NotFound";
    case 405:
      return "MethodNotAllowed";
    case 406:
      return "NotAcceptable";
    case 409:
      return "Conflict";
    case 410:
      return "Expired";
    case 413:
      return "RequestEntityTooLarge";
    case 415:
      return "UnsupportedMediaType";
    case 422:
      return "Invalid";
    case 429:
      return "TooManyRequests";
    case 500:
      return "InternalError";
    case 503:
      return "ServiceUnavailable";
    case 504:
      return "Timeout";
    default:
      return "Unknown";
  }
}

// The beginning of a body of unknown content, in printable characters.
std::string Quote(std::string_view body) {
  std::string quoted;
  for (const char c : absl::StripAsciiWhitespace(ToAbsl(body.substr(0, kMaxQuotedBytes)))) {
    quoted.push_back(absl::ascii_isprint(c) ? c : ' ');
  }
  return quoted;
}

}  // namespace

absl::Status StatusOfHttpError(int http_code, std::string_view body, absl::Duration retry_after) {
  Status status;
  absl::StatusOr<Status> sent = ParseStatus(body);
  if (sent.ok()) {
    status = *std::move(sent);
  } else {
    const std::string quoted = Quote(body);
    status.reason = ReasonOf(http_code);
    status.message = StrCat("the server answered with HTTP status ", http_code,
                            quoted.empty() ? "" : ": ", quoted);
    status.causes.push_back({"UnexpectedServerResponse", quoted, ""});
  }
  status.code = http_code;
  if (status.retry_after_seconds == 0) {
    status.retry_after_seconds = static_cast<int>(absl::ToInt64Seconds(retry_after));
  }
  return ToStatus(status);
}

}  // namespace steward::kube
