// The wire form of Status, and its conversion to and from absl::Status.
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <utility>

#include "absl/strings/cord.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

constexpr char kPayloadUrl[] = "k8s.io/apimachinery/meta/v1.Status";

// Appends `,"key":"value"` unless the value is empty.
void AppendMember(std::string_view key, std::string_view value, std::string& out) {
  if (value.empty()) return;
  if (!out.ends_with('{')) out += ',';
  StrAppend(&out, "\"", key, "\":");
  AppendHtmlSafeJsonString(value, out);
}

// True for the reasons with which Kubernetes sends `"details":{}`, because its constructors for
// them always set details.
bool AlwaysHasDetails(std::string_view reason) {
  for (std::string_view with :
       {"NotFound", "Forbidden", "MethodNotAllowed", "AlreadyExists", "Conflict", "Invalid",
        "TooManyRequests", "InternalError", "Timeout"}) {
    if (reason == with) return true;
  }
  return false;
}

void AppendDetails(const Status& status, std::string& out) {
  std::string details = "{";
  AppendMember("name", status.name, details);
  AppendMember("group", status.group, details);
  AppendMember("kind", status.kind, details);
  AppendMember("uid", status.uid, details);
  if (!status.causes.empty()) {
    details += details.size() > 1 ? ",\"causes\":[" : "\"causes\":[";
    for (const StatusCause& cause : status.causes) {
      if (!details.ends_with('[')) details += ',';
      std::string members = "{";
      AppendMember("reason", cause.reason, members);
      AppendMember("message", cause.message, members);
      AppendMember("field", cause.field, members);
      details += members + "}";
    }
    details += ']';
  }
  if (status.retry_after_seconds != 0) {
    StrAppend(&details, details.size() > 1 ? "," : "",
              "\"retryAfterSeconds\":", status.retry_after_seconds);
  }
  if (details.size() > 1 || AlwaysHasDetails(status.reason))
    StrAppend(&out, ",\"details\":", details, "}");
}

absl::StatusCode CodeFor(const Status& status) {
  switch (status.code) {
    case 401:
      return absl::StatusCode::kUnauthenticated;
    case 403:
      return absl::StatusCode::kPermissionDenied;
    case 404:
      return absl::StatusCode::kNotFound;
    case 405:
    case 501:
      return absl::StatusCode::kUnimplemented;
    case 409:
      return status.reason == "AlreadyExists" ? absl::StatusCode::kAlreadyExists
                                              : absl::StatusCode::kAborted;
    case 410:
      return absl::StatusCode::kOutOfRange;
    case 429:
      return absl::StatusCode::kResourceExhausted;
    case 502:
    case 503:
      return absl::StatusCode::kUnavailable;
    case 504:
      return absl::StatusCode::kDeadlineExceeded;
    default:
      return status.code >= 400 && status.code < 500 ? absl::StatusCode::kInvalidArgument
                                                     : absl::StatusCode::kInternal;
  }
}

std::optional<Status> Payload(const absl::Status& status) {
  const absl::optional<absl::Cord> payload = status.GetPayload(kPayloadUrl);
  if (!payload.has_value()) return std::nullopt;
  absl::StatusOr<Status> parsed = ParseStatus(std::string(*payload));
  if (!parsed.ok()) return std::nullopt;
  return *std::move(parsed);
}

// An error without details of a resource, with the other fields as usual for its reason.
Status Plain(int code, std::string_view reason, std::string_view message,
             int retry_after_seconds = 0) {
  Status status;
  status.code = code;
  status.reason = reason;
  status.message = message;
  status.retry_after_seconds = retry_after_seconds;
  return status;
}

// Reads optional members; a member of another type means that the text is no Status.
class Members {
 public:
  explicit Members(const json::object& object) : object_(object) {}

  std::string String(std::string_view key) {
    const json::value* value = Find(key);
    if (value == nullptr) return {};
    if (!value->is_string()) return Fail(key);
    return std::string(value->get_string());
  }
  int Int(std::string_view key) {
    const json::value* value = Find(key);
    if (value == nullptr) return 0;
    if (!value->is_int64() || value->get_int64() != static_cast<int32_t>(value->get_int64())) {
      Fail(key);
      return 0;
    }
    return static_cast<int>(value->get_int64());
  }
  const json::object* Object(std::string_view key) {
    const json::value* value = Find(key);
    if (value != nullptr && !value->is_object()) Fail(key);
    return value == nullptr ? nullptr : value->if_object();
  }
  const json::array* Array(std::string_view key) {
    const json::value* value = Find(key);
    if (value != nullptr && !value->is_array()) Fail(key);
    return value == nullptr ? nullptr : value->if_array();
  }
  const absl::Status& error() const { return error_; }

 private:
  // Null when the member is absent or JSON null.
  const json::value* Find(std::string_view key) const {
    const json::value* value = object_.if_contains(json::string_view(key.data(), key.size()));
    return value == nullptr || value->is_null() ? nullptr : value;
  }
  std::string Fail(std::string_view key) {
    error_ = absl::InvalidArgumentError(StrCat("not a Status: unexpected type of ", key));
    return {};
  }

  const json::object& object_;
  absl::Status error_;
};

absl::Status ReadDetails(const json::object& object, Status& status) {
  Members details(object);
  status.name = details.String("name");
  status.group = details.String("group");
  status.kind = details.String("kind");
  status.uid = details.String("uid");
  status.retry_after_seconds = details.Int("retryAfterSeconds");
  if (const json::array* causes = details.Array("causes")) {
    for (const json::value& element : *causes) {
      if (!element.is_object())
        return absl::InvalidArgumentError("not a Status: a cause that is no object");
      Members cause(element.get_object());
      status.causes.push_back(
          {cause.String("reason"), cause.String("message"), cause.String("field")});
      RETURN_IF_ERROR(cause.error());
    }
  }
  return details.error();
}

}  // namespace

std::string ToJson(const Status& status) {
  std::string out = R"({"kind":"Status","apiVersion":"v1","metadata":{)";
  AppendMember("continue", status.continue_token, out);
  out += R"(},"status":"Failure")";
  AppendMember("message", status.message, out);
  AppendMember("reason", status.reason, out);
  AppendDetails(status, out);
  StrAppend(&out, ",\"code\":", status.code, "}");
  return out;
}

absl::StatusOr<Status> ParseStatus(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text));
  if (!value.is_object()) return absl::InvalidArgumentError("not a Status: no object");
  Members members(value.get_object());
  if (members.String("kind") != "Status")
    return absl::InvalidArgumentError("not a Status: another kind");
  const std::string version = members.String("apiVersion");
  if (version != "v1" && version != "meta.k8s.io/v1") {
    return absl::InvalidArgumentError("not a Status: another apiVersion");
  }
  if (members.String("status") == "Success")
    return absl::InvalidArgumentError("a Status of success, not of an error");
  Status status;
  if (const json::object* metadata = members.Object("metadata")) {
    Members list_meta(*metadata);
    status.continue_token = list_meta.String("continue");
    RETURN_IF_ERROR(list_meta.error());
  }
  status.message = members.String("message");
  status.reason = members.String("reason");
  status.code = members.Int("code");
  if (status.code < 400 || status.code > 599) status.code = 500;
  if (const json::object* details = members.Object("details")) {
    RETURN_IF_ERROR(ReadDetails(*details, status));
  }
  RETURN_IF_ERROR(members.error());
  return status;
}

absl::Status ToStatus(const Status& status) {
  absl::Status out(CodeFor(status), status.message);
  out.SetPayload(kPayloadUrl, absl::Cord(ToJson(status)));
  return out;
}

Status FromStatus(const absl::Status& status) {
  if (std::optional<Status> payload = Payload(status)) return *std::move(payload);
  const std::string_view message = ToStd(status.message());
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
      return BadRequest(message);
    case absl::StatusCode::kUnauthenticated:
      return Unauthorized();
    case absl::StatusCode::kPermissionDenied:
      return Plain(403, "Forbidden", StrCat("forbidden: ", message));
    case absl::StatusCode::kNotFound:
      return Plain(404, "NotFound", message);
    case absl::StatusCode::kUnimplemented:
      return Plain(405, "MethodNotAllowed", message);
    case absl::StatusCode::kAlreadyExists:
      return Plain(409, "AlreadyExists", message);
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kFailedPrecondition:
      return Plain(409, "Conflict", message);
    case absl::StatusCode::kOutOfRange:
      return Expired(message);
    case absl::StatusCode::kResourceExhausted:
      return TooManyRequests(message, 1);
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kCancelled:
      return ServiceUnavailable(message, 1);
    case absl::StatusCode::kDeadlineExceeded:
      return Timeout(message, 1);
    default:
      return InternalError(message);
  }
}

bool HasReason(const absl::Status& status, std::string_view reason) {
  const std::optional<Status> payload = Payload(status);
  return payload.has_value() && payload->reason == reason;
}

}  // namespace steward::kube
