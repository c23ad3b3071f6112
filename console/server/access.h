// The rights and the origins of requests to the API. Values and pure functions.
#ifndef CONSOLE_SERVER_ACCESS_H_
#define CONSOLE_SERVER_ACCESS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "apiserver/http/message/message.h"

namespace steward::console {

enum class Authentication {
  // The user's own bearer token, sent by the page.
  kToken,
  // The user's own token, which a proxy before this process puts into a header.
  kTokenHeader,
  // The kubeconfig's credentials, for everybody who has the key of this process.
  kKubeconfig,
};

// "token", "header" or "kubeconfig": the name in /console-config.json.
std::string_view NameOf(Authentication authentication);

struct AccessOptions {
  Authentication authentication = Authentication::kToken;
  std::string token_header;  // of kTokenHeader
  std::string key;           // of kKubeconfig, never empty there
};

struct Grant {
  // to be sent to the kube-apiserver; "" = the kubeconfig's own credentials
  std::string authorization;
  // The peer's address, or a digest of the token if a proxy is the only peer. Two requesters may
  // share it.
  std::string requester;
};

// Errors carry a Kubernetes Status: 401 without acceptable credentials; if a proxy authenticates by
// a cookie, 403 for a write or a WebSocket that a page of another origin may have caused.
absl::StatusOr<Grant> Authorize(const AccessOptions& options, const http::Request& request);

// True when the browser says that the request comes from a page of this very server: by
// Sec-Fetch-Site; if that is absent, by an Origin whose host is the request's Host.
bool IsSameOrigin(const http::Request& request);

// True for a Host field, with or without a port, that names this machine itself: localhost and
// loopback addresses. A page that reached this machine by DNS rebinding sends another Host.
bool NamesLoopback(std::string_view host);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_ACCESS_H_
