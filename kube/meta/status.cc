#include "kube/meta/status.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::kube {
namespace {

Status Make(int code, std::string_view reason, std::string message) {
  Status status;
  status.code = code;
  status.reason = reason;
  status.message = std::move(message);
  return status;
}

Status MakeForResource(int code, std::string_view reason, const GroupVersionResource& gvr,
                       std::string_view name, std::string message) {
  Status status = Make(code, reason, std::move(message));
  status.name = name;
  status.group = gvr.group;
  status.kind = gvr.resource;
  return status;
}

// Escapes everything that a browser could take for markup: these messages quote the client's input.
std::string WithoutMarkup(std::string_view s) {
  std::string out;
  for (char c : s) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string WithReason(std::string message, std::string_view why) {
  return why.empty() ? message : StrCat(message, ": ", why);
}

}  // namespace

Status BadRequest(std::string_view message) {
  return Make(400, "BadRequest", std::string(message));
}

Status Unauthorized() { return Make(401, "Unauthorized", "Unauthorized"); }

Status Forbidden(const GroupVersionResource& gvr, std::string_view name, std::string_view why) {
  std::string subject;
  if (!gvr.resource.empty())
    subject = gvr.GroupResource() + (name.empty() ? "" : " " + Quote(name)) + " is ";
  return MakeForResource(403, "Forbidden", gvr, name, StrCat(subject, "forbidden: ", why));
}

Status ForbiddenBecause(std::string_view message) {
  return Make(403, "Forbidden", std::string(message));
}

Status ForbiddenPath(std::string_view user, std::string_view verb, std::string_view path,
                     std::string_view why) {
  const std::string message = StrCat("User ", Quote(user), " cannot ", verb, " path ", Quote(path));
  return Make(403, "Forbidden", "forbidden: " + WithReason(WithoutMarkup(message), why));
}

std::string ForbiddenAccess(std::string_view user, std::string_view verb,
                            const GroupVersionResource& gvr, std::string_view subresource,
                            std::string_view ns, std::string_view why) {
  const std::string resource =
      subresource.empty() ? gvr.resource : StrCat(gvr.resource, "/", subresource);
  const std::string where = ns.empty() ? " at the cluster scope" : " in the namespace " + Quote(ns);
  const std::string message = StrCat("User ", Quote(user), " cannot ", verb, " resource ",
                                     Quote(resource), " in API group ", Quote(gvr.group), where);
  return WithReason(WithoutMarkup(message), why);
}

Status NotFound(const GroupVersionResource& gvr, std::string_view name) {
  return MakeForResource(404, "NotFound", gvr, name,
                         StrCat(gvr.GroupResource(), " ", Quote(name), " not found"));
}

Status NotFoundPath() {
  return Make(404, "NotFound", "the server could not find the requested resource");
}

Status MethodNotAllowed() {
  return Make(405, "MethodNotAllowed",
              "the server does not allow this method on the requested resource");
}

Status NotAcceptable(const std::vector<std::string>& supported) {
  return Make(406, "NotAcceptable",
              "only the following media types are accepted: " + absl::StrJoin(supported, ", "));
}

Status Conflict(const GroupVersionResource& gvr, std::string_view name, std::string_view why) {
  return MakeForResource(409, "Conflict", gvr, name,
                         StrCat("Operation cannot be fulfilled on ", gvr.GroupResource(), " ",
                                Quote(name), ": ", why));
}

Status AlreadyExists(const GroupVersionResource& gvr, std::string_view name) {
  return MakeForResource(409, "AlreadyExists", gvr, name,
                         StrCat(gvr.GroupResource(), " ", Quote(name), " already exists"));
}

Status Expired(std::string_view message) { return Make(410, "Expired", std::string(message)); }

Status RequestEntityTooLarge(size_t limit) {
  return Make(413, "RequestEntityTooLarge", StrCat("Request entity too large: limit is ", limit));
}

Status UnsupportedMediaType(const std::vector<std::string>& supported) {
  return Make(415, "UnsupportedMediaType",
              "the body of the request was in an unknown format - accepted media types include: " +
                  absl::StrJoin(supported, ", "));
}

Status Invalid(const GroupVersionKind& gvk, std::string_view name,
               std::vector<StatusCause> causes) {
  const std::string kind = gvk.group.empty() ? gvk.kind : gvk.kind + "." + gvk.group;
  std::vector<std::string> problems;
  for (const StatusCause& cause : causes) {
    std::string problem = cause.field + ": " + cause.message;
    if (std::find(problems.begin(), problems.end(), problem) == problems.end()) {
      problems.push_back(std::move(problem));
    }
  }
  std::string message = StrCat(kind, " ", Quote(name), " is invalid");
  if (problems.size() == 1) message += ": " + problems[0];
  if (problems.size() > 1) message += ": [" + absl::StrJoin(problems, ", ") + "]";
  Status status = Make(422, "Invalid", std::move(message));
  status.name = name;
  status.group = gvk.group;
  status.kind = gvk.kind;
  status.causes = std::move(causes);
  return status;
}

Status TooManyRequests(std::string_view message, int retry_after_seconds) {
  Status status = Make(429, "TooManyRequests", std::string(message));
  status.retry_after_seconds = retry_after_seconds;
  return status;
}

Status InternalError(std::string_view message) {
  Status status = Make(500, "InternalError", StrCat("Internal error occurred: ", message));
  status.causes.push_back({"", std::string(message), ""});
  return status;
}

Status ServiceUnavailable(std::string_view message, int retry_after_seconds) {
  Status status = Make(503, "ServiceUnavailable", std::string(message));
  status.retry_after_seconds = retry_after_seconds;
  return status;
}

Status Timeout(std::string_view message, int retry_after_seconds) {
  Status status = Make(504, "Timeout", StrCat("Timeout: ", message));
  status.retry_after_seconds = retry_after_seconds;
  return status;
}

Status TooLargeResourceVersion(std::string_view asked, std::string_view current) {
  Status status = Timeout(StrCat("Too large resource version: ", asked, ", current: ", current), 1);
  status.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
  return status;
}

}  // namespace steward::kube
