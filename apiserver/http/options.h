// What a server allows, and how long it waits.
#ifndef APISERVER_HTTP_OPTIONS_H_
#define APISERVER_HTTP_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace steward::http {

// Writes the JSON body (a Kubernetes Status) of an error that is answered before a handler exists:
// malformed or oversized requests. `reason` is Kubernetes' ("BadRequest", "RequestEntityTooLarge",
// ...), "" when it has none. Called from every thread.
using ErrorBody =
    std::function<std::string(int code, std::string_view reason, std::string_view message)>;

struct Limits {
  // Sum over a request's header fields (RFC 9113 section 6.5.2: 32 bytes more per field), and their
  // number. Above: 431.
  size_t max_header_bytes = 64 << 10;
  size_t max_header_fields = 256;
  // Of a request, as sent. Above: 414.
  size_t max_target_bytes = 128 << 10;
  // What requests hold while they are received and handled, and the end of responses after that, in
  // the whole server (see MemoryBudget). Above: 503 + Retry-After.
  size_t max_request_memory = size_t{256} << 20;
  // The share of one connection, but that of a front proxy.
  size_t max_connection_memory = size_t{8} << 20;
  // Above, idle strangers' connections give way to new ones. Without such, these are closed as soon
  // as they are accepted: their clients may find another replica. See ConnectionGate.
  size_t max_connections = 20000;
  size_t max_connections_per_source = 2000;
  // Of one HTTP/2 connection; also bounds its running handlers, whose streams the client may have
  // reset: above, REFUSED_STREAM, which clients retry.
  uint32_t max_concurrent_streams = 1000;
  // The connection carries many users' requests: none of them may end it for the others.
  bool many_users = false;
  // HTTP/2 flow control: what a client may send ahead on one stream, and on the connection, before
  // a handler asks for it.
  uint32_t stream_window = 64 << 10;
  uint32_t connection_window = 256 << 10;
  // A WebSocket's client has nothing to say: a longer message ends the WebSocket (close code 1009).
  size_t max_websocket_message = 64 << 10;
  // What a client takes of what waits for it, in bytes per second over Timeouts::write or ::finish.
  // Below, the connection is closed, or the stream reset.
  size_t min_drain_rate = 1 << 10;
};

// For the connections of a verified front proxy, which carry everybody's requests and pass on each
// of a user's groups as a field of its own.
inline Limits FrontProxyLimits(Limits limits) {
  constexpr size_t kMoreGroups = 8;
  limits.max_header_bytes *= kMoreGroups;
  limits.max_header_fields *= kMoreGroups;
  limits.max_connection_memory = limits.max_request_memory;
  limits.many_users = true;
  return limits;
}

// Rounded up to the server's tick (1 s). A connection that misses one is closed, a stream reset.
struct Timeouts {
  absl::Duration handshake = absl::Seconds(10);
  absl::Duration header =
      absl::Seconds(32);                    // from a request's first byte to the end of its header
  absl::Duration body = absl::Seconds(60);  // from when a handler asks for it to its end
  absl::Duration idle = absl::Seconds(90);  // without any request
  absl::Duration idle_stranger =
      absl::Seconds(15);                     // the same, where no request was authenticated yet
  absl::Duration write = absl::Seconds(60);  // of a watch that goes on: see min_drain_rate
  // Of every other response, and the end of each: a handler that waits for its client holds a place
  // for which others wait no longer than 15 s.
  absl::Duration finish = absl::Seconds(10);
  absl::Duration close = absl::Seconds(2);  // for the client's answer to a WebSocket's end
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_OPTIONS_H_
