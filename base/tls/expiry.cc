#include "base/tls/expiry.h"

#include <openssl/asn1.h>
#include <openssl/ssl.h>

#include <ctime>

namespace steward {

absl::Time ExpiryOf(const X509* certificate) {
  tm parts{};
  if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &parts) != 1) {
    return absl::InfinitePast();
  }
  return absl::FromTM(parts, absl::UTCTimeZone());
}

absl::Time ExpiryOf(const SslContext& context) {
  return context == nullptr ? absl::InfinitePast()
                            : ExpiryOf(SSL_CTX_get0_certificate(context.get()));
}

}  // namespace steward
