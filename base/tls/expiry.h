// The end of a certificate's validity. Thread-safe.
#ifndef BASE_TLS_EXPIRY_H_
#define BASE_TLS_EXPIRY_H_

#include <openssl/x509.h>

#include "absl/time/time.h"
#include "base/tls/server_context.h"

namespace steward {

// The last moment of the certificate's validity; the infinite past when that cannot be read, so
// that such a certificate is never valid.
absl::Time ExpiryOf(const X509* certificate);
// The same for the leaf that the context serves with; the infinite past when there is none.
absl::Time ExpiryOf(const SslContext& context);

}  // namespace steward

#endif  // BASE_TLS_EXPIRY_H_
