// Requests as far as they may be passed on to the kube-apiserver. Pure functions.
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

// True for paths that are an API server's and never a page's: those above, health, metrics and the
// like.
bool IsServerPath(std::string_view path);

// OK, or an error that carries a Kubernetes Status: 405 for other methods than those of resources;
// 400 for a path with empty or dotted parts, which two programs may read in two ways; 403 for the
// subresources through which a pod, node or service is reached (proxy, exec, attach, portforward)
// and for every change of protocol but the WebSocket of a watch; 400 and 403 for a WebSocket whose
// handshake is not acceptable. REQUIRES: Request.info is filled in, and a token was removed from
// the WebSocket's subprotocols.
absl::Status CheckForwardable(const http::Request& request);

// Path and query as they were read, encoded anew: what was judged is what is asked.
std::string ForwardedTarget(const http::Request& request);

// The fields that are passed on, as lines: Accept, Content-Type, User-Agent. Nothing else of the
// client's, least of all whom it would like to be.
std::string ForwardedFields(const http::Request& request);

}  // namespace steward::console

#endif  // CONSOLE_SERVER_API_REQUEST_H_
