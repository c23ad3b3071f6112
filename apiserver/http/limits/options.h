// A server's limits and timeouts. Values.
#ifndef APISERVER_HTTP_LIMITS_OPTIONS_H_
#define APISERVER_HTTP_LIMITS_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace steward::http {

// Returns the JSON body (a Kubernetes Status) of an error that is answered before a handler runs,
// for example for a malformed or oversized request. `reason` is Kubernetes' ("BadRequest",
// "RequestEntityTooLarge", ...), "" when it has none. Called from every thread.
using ErrorBody =
    std::function<std::string(int code, std::string_view reason, std::string_view message)>;

struct Limits {
  // The total size of a request's header fields (RFC 9113 section 6.5.2: 32 bytes more per field),
  // and their number. Beyond: 431.
  size_t max_header_bytes = 64 << 10;
  size_t max_header_fields = 256;
  // The size of a request's target, as sent. Beyond: 414.
  size_t max_target_bytes = 128 << 10;
  // The memory that the whole server may hold for requests while they are received and handled, and
  // for the ends of their responses (see MemoryBudget). Beyond: 503 + Retry-After.
  size_t max_request_memory = size_t{256} << 20;
  // The share of one connection, except a front proxy's.
  size_t max_connection_memory = size_t{8} << 20;
  // Above this number, a new connection displaces an idle stranger's. If there is none, the new
  // connection is closed at once, so that its client can try another replica. See ConnectionGate.
  size_t max_connections = 20000;
  size_t max_connections_per_source = 2000;
  // The limit for one HTTP/2 connection. It also limits the running handlers, even those whose
  // streams the client has reset. Beyond: REFUSED_STREAM, which clients retry.
  uint32_t max_concurrent_streams = 1000;
  // True: the connection carries many users' requests, and none of them may end it for the others.
  bool many_users = false;
  // HTTP/2 flow control: the bytes that a client may send in advance on one stream, and on the
  // connection, before a handler asks for them.
  uint32_t stream_window = 64 << 10;
  uint32_t connection_window = 256 << 10;
  // The client of a WebSocket is not expected to send messages: a longer one ends the WebSocket
  // (close code 1009).
  size_t max_websocket_message = 64 << 10;
  // The rate at which a client must take waiting data, in bytes per second over Timeouts::write or
  // ::finish. Below, the connection is closed, or the stream reset.
  size_t min_drain_rate = 1 << 10;
  // The same, while a handler that holds a place (see filters::WithMaxInFlight) waits for the
  // client.
  size_t min_handler_drain_rate = 16 << 10;
};

// The limits of a verified front proxy's connections, which carry all users' requests and send each
// of a user's groups as a separate field.
inline Limits FrontProxyLimits(Limits limits) {
  constexpr size_t kMoreGroups = 8;
  limits.max_header_bytes *= kMoreGroups;
  limits.max_header_fields *= kMoreGroups;
  limits.max_connection_memory = limits.max_request_memory;
  limits.many_users = true;
  return limits;
}

// Timeouts are rounded up to the server's tick (1 s). A connection that misses one is closed, a
// stream reset.
struct Timeouts {
  absl::Duration handshake = absl::Seconds(10);
  absl::Duration header =
      absl::Seconds(32);                    // from a request's first byte to the end of its header
  absl::Duration body = absl::Seconds(60);  // from a handler's request for the body to its end
  absl::Duration idle = absl::Seconds(90);  // without any request
  absl::Duration idle_stranger =
      absl::Seconds(15);                     // the same, where no request was authenticated yet
  absl::Duration write = absl::Seconds(60);  // of a watch that has settled: see min_drain_rate
  // The time for any other response, and for the end of every response. It is short, because a
  // handler that waits for its client holds a place, and other requests wait at most 15 s for a
  // place.
  absl::Duration finish = absl::Seconds(10);
  absl::Duration close = absl::Seconds(2);  // for the client's answer to a WebSocket's end
};

// The pace at which a client has to take the bytes that wait for it.
struct Pace {
  absl::Duration window;
  size_t rate = 0;  // bytes per second, on average in each window
};

// HandlerPace: while a handler that holds a place waits for the client. WatchPace: for a settled
// watch, which holds no place. FinishPace: for the end of a response whose handler has returned.
inline Pace HandlerPace(const Limits& limits, const Timeouts& timeouts) {
  return {timeouts.finish, limits.min_handler_drain_rate};
}
inline Pace WatchPace(const Limits& limits, const Timeouts& timeouts) {
  return {timeouts.write, limits.min_drain_rate};
}
inline Pace FinishPace(const Limits& limits, const Timeouts& timeouts) {
  return {timeouts.finish, limits.min_drain_rate};
}

}  // namespace steward::http

#endif  // APISERVER_HTTP_LIMITS_OPTIONS_H_
