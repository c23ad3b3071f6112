// The TLS settings of a Kubernetes-style server, as an OpenSSL context.
#ifndef BASE_TLS_SERVER_CONTEXT_H_
#define BASE_TLS_SERVER_CONTEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/tls/certificate.h"

struct ssl_ctx_st;

namespace steward {

// Shared by the handshakes made with it; a connection's SSL holds its own reference. Thread-safe
// for SSL_new.
using SslContext = std::shared_ptr<ssl_ctx_st>;

struct ServerTlsOptions {
  // Offer "h2" before "http/1.1" by ALPN; false: "http/1.1" alone.
  bool http2 = true;
  // Refuse TLS 1.2.
  bool tls13_only = false;
};

// TLS 1.2 and 1.3 with forward-secret AEAD ciphers. A client certificate is asked for but not
// required, and any is accepted: who may do what is decided per request, against CAs that may
// change; a chain of more than 16 KiB fails the handshake. No session resumption, neither tickets
// nor cache: a resumed session would not carry the client's chain. kInvalidArgument when
// certificate or key do not parse or do not belong together.
absl::StatusOr<SslContext> MakeServerContext(const PemKeyPair& pair,
                                             const ServerTlsOptions& options);

}  // namespace steward

#endif  // BASE_TLS_SERVER_CONTEXT_H_
