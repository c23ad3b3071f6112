// The TLS settings of a Kubernetes-style server, as an OpenSSL context. Thread-safe.
#ifndef BASE_TLS_SERVER_CONTEXT_H_
#define BASE_TLS_SERVER_CONTEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/tls/certificate.h"

struct ssl_ctx_st;

namespace steward {

// All handshakes share one context; a connection's SSL holds its own reference. Thread-safe for
// SSL_new.
using SslContext = std::shared_ptr<ssl_ctx_st>;

struct ServerTlsOptions {
  // Offers "h2" before "http/1.1" by ALPN; false: "http/1.1" alone.
  bool http2 = true;
  // Refuses TLS 1.2.
  bool tls13_only = false;
  // By OpenSSL's names, the preferred first. Never empty.
  std::string tls12_ciphers =
      "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
      "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
  std::string tls13_ciphers =
      "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256";
};

// TLS 1.2 and 1.3 with forward-secret AEAD ciphers, unless the options allow less. A client
// certificate is requested but not required, and any certificate is accepted here, because each
// request is authenticated later, against CAs that may change. A chain of more than 16 KiB fails
// the handshake. There is no session resumption, neither by tickets nor by a cache, because a
// resumed session would lack the client's chain. kInvalidArgument when certificate or key do not
// parse or do not belong together.
absl::StatusOr<SslContext> MakeServerContext(const PemKeyPair& pair,
                                             const ServerTlsOptions& options);

}  // namespace steward

#endif  // BASE_TLS_SERVER_CONTEXT_H_
