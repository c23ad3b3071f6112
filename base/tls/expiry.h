// The validity of certificates. Thread-safe.
#ifndef BASE_TLS_EXPIRY_H_
#define BASE_TLS_EXPIRY_H_

#include <openssl/x509.h>

#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/tls/server_context.h"

namespace steward {

// The last moment of the certificate's validity; InfinitePast if it cannot be read, so that such a
// certificate never counts as valid.
absl::Time ExpiryOf(const X509* certificate);
// When the leaf certificate of `context` expires; InfinitePast if there is none.
absl::Time ExpiryOf(const SslContext& context);

struct Validity {
  absl::Time begin;
  absl::Time end;

  absl::Duration length() const { return end - begin; }
};

// The validity of the first certificate in `pem`. kInvalidArgument when none parses.
absl::StatusOr<Validity> ValidityOfPem(std::string_view pem);

}  // namespace steward

#endif  // BASE_TLS_EXPIRY_H_
