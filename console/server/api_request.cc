#include "console/server/api_request.h"

#include <algorithm>
#include <array>
#include <vector>

#include "apiserver/filters/request/request_info.h"
#include "apiserver/http/message/response_fields.h"
#include "apiserver/http/websocket/websocket_handshake.h"
#include "base/text/str_cat.h"
#include "kube/client/request_target.h"
#include "kube/meta/status.h"

namespace steward::console {
namespace {

constexpr std::array<std::string_view, 6> kMethods = {"GET", "HEAD",  "POST",
                                                      "PUT", "PATCH", "DELETE"};
constexpr std::array<std::string_view, 4> kRefusedSubresources = {"proxy", "exec", "attach",
                                                                  "portforward"};

template <size_t N>
bool Contains(const std::array<std::string_view, N>& all, std::string_view one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

bool IsBelow(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.substr(folder.size()).starts_with('/');
}

// A slash at the end makes no empty part.
bool HasPlainParts(std::string_view path) {
  if (path.ends_with('/')) path.remove_suffix(1);
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t slash = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, slash);
    if (part.empty() || part == "." || part == "..") return false;
    path.remove_prefix(slash);
  }
  return true;
}

absl::Status Forbidden(std::string_view message) {
  return kube::ToStatus(kube::ForbiddenBecause(message));
}

absl::Status CheckUpgrade(const http::Request& request) {
  if (request.headers.Find("Upgrade") == nullptr && !request.websocket) return absl::OkStatus();
  const bool is_watch = request.method == "GET" && filters::IsLongRunning(request.info);
  if (!request.websocket || !is_watch) {
    return Forbidden("of connections that change their protocol only WebSockets of watches pass");
  }
  const auto handshake = http::ReadWebSocketHandshake(request.headers);
  if (handshake.ok()) return absl::OkStatus();
  if (absl::IsPermissionDenied(handshake.status())) {
    return Forbidden(ToStd(handshake.status().message()));
  }
  return kube::ToStatus(kube::BadRequest(ToStd(handshake.status().message())));
}

void AppendField(const http::Headers& headers, const char* name, std::string& lines) {
  const std::vector<std::string_view> values = headers.FindAll(name);
  std::string value;
  for (const std::string_view each : values) {
    if (!http::IsCleanFieldValue(each)) return;
    StrAppend(&value, value.empty() ? "" : ", ", each);
  }
  if (!value.empty()) StrAppend(&lines, name, ": ", value, "\r\n");
}

}  // namespace

bool IsApiPath(std::string_view path) {
  return path == "/api" || path == "/apis" || path == "/version" || IsBelow(path, "/api") ||
         IsBelow(path, "/apis") || IsBelow(path, "/openapi");
}

bool IsServerPath(std::string_view path) {
  static constexpr std::array<std::string_view, 10> kTops = {
      "/api",   "/apis",   "/version", "/openapi", "/healthz",
      "/livez", "/readyz", "/metrics", "/logs",    "/debug"};
  return std::any_of(kTops.begin(), kTops.end(),
                     [path](std::string_view top) { return path == top || IsBelow(path, top); });
}

absl::Status CheckForwardable(const http::Request& request) {
  if (!Contains(kMethods, request.method)) return kube::ToStatus(kube::MethodNotAllowed());
  if (!HasPlainParts(request.path)) {
    return kube::ToStatus(kube::BadRequest("the path has empty or dotted parts"));
  }
  if (request.info.verb == "proxy" || Contains(kRefusedSubresources, request.info.subresource)) {
    return Forbidden("pods, nodes and services are not reached through this server");
  }
  return CheckUpgrade(request);
}

std::string ForwardedTarget(const http::Request& request) {
  std::string target;
  std::string_view path = request.path;
  while (!path.empty()) {
    path.remove_prefix(1);
    const size_t slash = std::min(path.find('/'), path.size());
    StrAppend(&target, "/", kube::PercentEncode(path.substr(0, slash)));
    path.remove_prefix(slash);
  }
  char before = '?';
  for (const auto& [key, value] : request.query) {
    target.push_back(before);
    StrAppend(&target, kube::PercentEncode(key), "=", kube::PercentEncode(value));
    before = '&';
  }
  return target;
}

std::string ForwardedFields(const http::Request& request) {
  std::string lines;
  for (const char* name : {"Accept", "Content-Type", "User-Agent"}) {
    AppendField(request.headers, name, lines);
  }
  return lines;
}

}  // namespace steward::console
