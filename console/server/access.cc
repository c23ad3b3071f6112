#include "console/server/access.h"

#include <openssl/crypto.h>

#include <optional>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "apiserver/filters/authentication/bearer_token.h"
#include "base/digest/digest.h"
#include "base/status/macros.h"
#include "base/text/ip_address.h"
#include "base/text/str_cat.h"
#include "kube/client/config.h"
#include "kube/meta/status.h"

namespace steward::console {
namespace {

absl::Status Unauthorized() { return kube::ToStatus(kube::Unauthorized()); }

// The token that the page itself sends: in a header, or, for a WebSocket, in a subprotocol, because
// a page cannot set a WebSocket's headers.
absl::StatusOr<std::string> ShownToken(const http::Request& request) {
  std::optional<std::string> token = filters::BearerToken(request.headers);
  if (!token) {
    auto subprotocol = filters::WebSocketToken(request);
    if (!subprotocol.ok()) return Unauthorized();
    token = *std::move(subprotocol);
  }
  if (!token || !kube::CheckToken(*token).ok()) return Unauthorized();
  return *std::move(token);
}

absl::StatusOr<std::string> TokenOfProxy(const AccessOptions& options,
                                         const http::Request& request) {
  const std::vector<std::string_view> values = request.headers.FindAll(options.token_header);
  // Refuse several values, because the browser may have sent one of them.
  if (values.size() != 1 || !kube::CheckToken(values.front()).ok()) return Unauthorized();
  return std::string(values.front());
}

bool IsKey(std::string_view shown, std::string_view key) {
  return !key.empty() && shown.size() == key.size() &&
         CRYPTO_memcmp(shown.data(), key.data(), key.size()) == 0;
}

// A header's only value; "" if the header is absent or repeated.
std::string_view Only(const http::Headers& headers, std::string_view name) {
  const std::vector<std::string_view> values = headers.FindAll(name);
  return values.size() == 1 ? values.front() : std::string_view();
}

}  // namespace

std::string_view NameOf(Authentication authentication) {
  switch (authentication) {
    case Authentication::kToken:
      return "token";
    case Authentication::kTokenHeader:
      return "header";
    case Authentication::kKubeconfig:
      return "kubeconfig";
  }
  return "";
}

absl::StatusOr<Grant> Authorize(const AccessOptions& options, const http::Request& request) {
  const std::string address(WithoutPort(request.remote_address));
  switch (options.authentication) {
    case Authentication::kToken: {
      ASSIGN_OR_RETURN(const std::string token, ShownToken(request));
      return Grant{StrCat("Bearer ", token), address};
    }
    case Authentication::kTokenHeader: {
      const bool reads = request.method == "GET" || request.method == "HEAD";
      if ((!reads || request.websocket) && !IsSameOrigin(request)) {
        return kube::ToStatus(
            kube::ForbiddenBecause("writes and WebSockets are for pages of this server alone"));
      }
      ASSIGN_OR_RETURN(const std::string token, TokenOfProxy(options, request));
      return Grant{StrCat("Bearer ", token), absl::BytesToHexString(Sha256(token))};
    }
    case Authentication::kKubeconfig: {
      ASSIGN_OR_RETURN(const std::string key, ShownToken(request));
      if (!IsKey(key, options.key)) return Unauthorized();
      return Grant{"", address};
    }
  }
  return Unauthorized();
}

bool IsSameOrigin(const http::Request& request) {
  if (request.headers.Find("Sec-Fetch-Site") != nullptr) {
    return Only(request.headers, "Sec-Fetch-Site") == "same-origin";
  }
  const std::string_view origin = Only(request.headers, "Origin");
  const std::string_view host = Only(request.headers, "Host");
  const size_t scheme = origin.find("://");
  if (scheme == std::string_view::npos || host.empty()) return false;
  return absl::EqualsIgnoreCase(ToAbsl(origin.substr(scheme + 3)), ToAbsl(host));
}

bool NamesLoopback(std::string_view host) {
  const bool bracketed = host.starts_with('[');
  const size_t end = bracketed ? host.find(']') : host.rfind(':');
  std::string_view name = host.substr(0, end);
  if (bracketed) {
    if (end == std::string_view::npos) return false;
    const std::string_view port = host.substr(end + 1);
    if (!port.empty() && !port.starts_with(':')) return false;
    name.remove_prefix(1);
  }
  if (absl::EqualsIgnoreCase(ToAbsl(name), "localhost")) return !bracketed;
  return IsLoopbackAddress(std::string(name));
}

}  // namespace steward::console
