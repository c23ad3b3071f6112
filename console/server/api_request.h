// Checks of requests before they are passed on to the kube-apiserver, and their new form. Pure
// functions.
#ifndef CONSOLE_SERVER_API_REQUEST_H_
#define CONSOLE_SERVER_API_REQUEST_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"

namespace steward::console {

// True for the kube-apiserver's paths that are passed on: /api, /apis and those below, those below
// /openapi, and /version.
bool IsApiPath(std::string_view path);

// True for paths that are an API server's and never a page's: those of IsApiPath, health, metrics
// and the like.
bool IsServerPath(std::string_view path);

// OK, or an error that carries a Kubernetes Status: 405 for methods that resources do not have; 400
// for a path with empty or dotted parts, because two programs may interpret it differently; 403 for
// the subresources through which a pod, node or service is reached (proxy, exec, attach,
// portforward) and for every change of protocol but the WebSocket of a watch; 400 and 403 for a
// WebSocket whose handshake is not acceptable. REQUIRES: Request.info is filled in, and a token was
// removed from the WebSocket's subprotocols.
absl::Status CheckForwardable(const http::Request& request);

// Path and query of `request`, encoded again from their decoded form, so that the kube-apiserver
// gets exactly what was checked.
std::string ForwardedTarget(const http::Request& request);

// The fields that are passed on, as lines: Accept, Content-Type, User-Agent. No other field of the
// client is passed on, in particular no impersonation.
std::string ForwardedFields(const http::Request& request);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_API_REQUEST_H_
