// metav1.Status: the error type of every Kubernetes API. Values and pure functions.
//
// Inside the process, a Status travels as the payload of an absl::Status; only ToStatus and
// FromStatus convert between the two.
#ifndef KUBE_META_STATUS_H_
#define KUBE_META_STATUS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::kube {

struct StatusCause {
  std::string reason;
  std::string message;
  std::string field;
  bool operator==(const StatusCause&) const = default;
};

struct Status {
  int code = 500;
  std::string reason;  // "NotFound", "Expired", ...
  std::string message;
  // The details; `kind` holds the plural resource for resource errors.
  std::string name;
  std::string group;
  std::string kind;
  std::string uid;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;  // 0 = absent; also sent as the Retry-After header
  std::string continue_token;   // metadata.continue, for 410 while paging

  bool operator==(const Status&) const = default;
};

// One function per (code, reason) of the API conventions. Messages are Kubernetes' own wording.
Status BadRequest(std::string_view message);  // 400
Status Unauthorized();                        // 401
Status Forbidden(const GroupVersionResource& gvr, std::string_view name,
                 std::string_view why);             // 403
Status ForbiddenBecause(std::string_view message);  // 403
Status ForbiddenPath(std::string_view user, std::string_view verb, std::string_view path,
                     std::string_view why);  // 403
// The `why` of a Forbidden that authorization refused: `User "u" cannot list resource "widgets" in
// API group "g" in the namespace "ns"` (or `at the cluster scope`), then `: <why>` unless that is
// empty.
std::string ForbiddenAccess(std::string_view user, std::string_view verb,
                            const GroupVersionResource& gvr, std::string_view subresource,
                            std::string_view ns, std::string_view why);
Status NotFound(const GroupVersionResource& gvr,
                std::string_view name);  // 404 `widgets.g "n" not found`
Status NotFoundPath();                   // 404 `the server could not find the requested resource`
Status MethodNotAllowed();               // 405
Status NotAcceptable(const std::vector<std::string>& supported);  // 406
Status Conflict(const GroupVersionResource& gvr, std::string_view name,
                std::string_view why);                                         // 409
Status AlreadyExists(const GroupVersionResource& gvr, std::string_view name);  // 409
Status Expired(std::string_view message);                                // 410, reason Expired
Status RequestEntityTooLarge(size_t limit);                              // 413
Status UnsupportedMediaType(const std::vector<std::string>& supported);  // 415
Status Invalid(const GroupVersionKind& gvk, std::string_view name,
               std::vector<StatusCause> causes);                               // 422
Status TooManyRequests(std::string_view message, int retry_after_seconds);     // 429
Status InternalError(std::string_view message);                                // 500
Status ServiceUnavailable(std::string_view message, int retry_after_seconds);  // 503
Status Timeout(std::string_view message, int retry_after_seconds);             // 504
// 504 with the cause and retryAfterSeconds by which client-go recognises it.
Status TooLargeResourceVersion(std::string_view asked, std::string_view current);

// An absl::Status with the closest code and `status` as payload; never OK.
absl::Status ToStatus(const Status& status);
// The payload; without one, the best fit for the absl code (kUnavailable = 503, kNotFound = 404,
// ...; unknown = 500). REQUIRES: !status.ok()
Status FromStatus(const absl::Status& status);
// True when `status` carries a Kubernetes Status with this reason.
bool HasReason(const absl::Status& status, std::string_view reason);

// The wire form, one line of JSON without a newline:
// {"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",...}
std::string ToJson(const Status& status);
// Parses a Status object of any kube-apiserver. Fails when `json` is no Status, or one that reports
// success. A code that is no HTTP error becomes 500.
absl::StatusOr<Status> ParseStatus(std::string_view json);

}  // namespace steward::kube

#endif  // KUBE_META_STATUS_H_
