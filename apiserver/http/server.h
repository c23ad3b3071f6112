// An HTTPS server for HTTP/1.1 and HTTP/2 by ALPN, or a plain HTTP/1.1 server without TLS. The
// methods say which are thread-safe.
#ifndef APISERVER_HTTP_SERVER_H_
#define APISERVER_HTTP_SERVER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/limits/options.h"
#include "apiserver/http/message/message.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/tls/server_context.h"

namespace steward::http {

struct ServerOptions {
  std::string bind_address = "0.0.0.0";  // an IP address; "::" takes IPv4 too
  uint16_t port = 0;                     // 0: any free port
  Limits limits;
  Timeouts timeouts;
  absl::Duration tick = absl::Seconds(1);  // precision of the timeouts
  // Called for each new connection, on every thread. Null: no TLS.
  std::function<SslContext()> tls;
  // True when a client with these certificates is a front proxy (see FrontProxyLimits and
  // ConnectionGate). Called once for each connection, on every thread. Null: no client is one.
  std::function<bool(const PeerCertificates&)> is_front_proxy;
  ErrorBody error_body;
};

struct ServerStats {
  size_t connections = 0;  // open now
  uint64_t accepted = 0;
  uint64_t accept_errors = 0;
  uint64_t rejected_full = 0;    // for Limits::max_connections
  uint64_t rejected_source = 0;  // for Limits::max_connections_per_source
  uint64_t shed = 0;             // idle strangers' connections closed for others
  uint64_t handshake_errors = 0;
  uint64_t watches_reset = 0;  // because there was no memory for the bytes waiting for clients
  size_t request_memory = 0;   // held now, in bytes
  size_t request_memory_limit = 0;
};

// A connection stays on one of `threads`, the one with the fewest connections when it came, and so
// do the handlers of its requests.
class Server {
 public:
  // `threads` and `clock` outlive the server.
  Server(ServerOptions options, IoThreads& threads, Clock& clock = Clock::Real());
  // REQUIRES: not started, or stopped.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Listens, and returns. Fails when the address is not available. To be called once.
  absl::Status Start(Handler handler);

  // The port of the listening socket. REQUIRES: started.
  uint16_t port() const;

  // Thread-safe.
  ServerStats stats() const;

  // Stops listening, lets running requests finish for `grace`, cancels the rest, and returns when
  // the last handler has ended. Idle connections end at once; HTTP/2 clients get a GOAWAY. To be
  // called once, on any executor whose io_context outlives `threads`, because the threads still use
  // that io_context for a moment after this has returned.
  VoidTask Stop(absl::Duration grace);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::http

#endif  // APISERVER_HTTP_SERVER_H_
