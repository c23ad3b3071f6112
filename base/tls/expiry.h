// When a certificate ends.
#ifndef BASE_TLS_EXPIRY_H_
#define BASE_TLS_EXPIRY_H_

#include <openssl/x509.h>

#include "absl/time/time.h"
#include "base/tls/server_context.h"

namespace steward {

// The last moment of its validity. A time that cannot be read is in the infinite past: such a
// certificate is never valid.
absl::Time ExpiryOf(const X509* certificate);
// Of the leaf that the context serves with; in the infinite past where there is none.
absl::Time ExpiryOf(const SslContext& context);

}  // namespace steward

#endif  // BASE_TLS_EXPIRY_H_
