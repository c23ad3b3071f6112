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
  // Sum over a request's header fields (RFC 9113 section 6.5.2: 32 bytes more per field), and the
  // raw HTTP/1.1 header. Above: 431.
  size_t max_header_bytes = size_t{1} << 20;
  // Above: 413.
  size_t max_body_bytes = size_t{3} << 20;
  // All header and body bytes of requests being received or handled, in the whole server. Above:
  // 503 + Retry-After.
  size_t max_request_memory = size_t{256} << 20;
  // A connection above it is closed as soon as it is accepted: its client may find another replica.
  size_t max_connections = 20000;
  // Of one HTTP/2 connection; also bounds its running handlers, whose streams the client may have
  // reset: above, REFUSED_STREAM, which clients retry.
  uint32_t max_concurrent_streams = 1000;
  // HTTP/2 flow control: what a client may send ahead on one stream, and on the connection.
  uint32_t stream_window = 256 << 10;
  uint32_t connection_window = 1 << 20;
  // A WebSocket's client has nothing to say: a longer message ends the WebSocket (close code 1009).
  size_t max_websocket_message = 64 << 10;
};

// Rounded up to the server's tick (1 s). A connection that misses one is closed, a stream reset.
struct Timeouts {
  absl::Duration handshake = absl::Seconds(10);
  absl::Duration header =
      absl::Seconds(32);                    // from a request's first byte to the end of its header
  absl::Duration body = absl::Seconds(60);  // from there to its end
  absl::Duration idle = absl::Seconds(90);  // without any request
  absl::Duration write =
      absl::Seconds(60);  // without the client taking any byte of what waits for it
  absl::Duration close = absl::Seconds(2);  // for the client's answer to a WebSocket's end
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_OPTIONS_H_
