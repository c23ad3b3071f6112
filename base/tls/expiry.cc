#include "base/tls/expiry.h"

#include <openssl/asn1.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>

#include <ctime>

#include "base/tls/openssl_ptr.h"

namespace steward {
namespace {

absl::Time ToTime(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return absl::InfinitePast();
  return absl::FromTM(parts, absl::UTCTimeZone());
}

}  // namespace

absl::Time ExpiryOf(const X509* certificate) {
  return certificate == nullptr ? absl::InfinitePast() : ToTime(X509_get0_notAfter(certificate));
}

absl::Time ExpiryOf(const SslContext& context) {
  return context == nullptr ? absl::InfinitePast()
                            : ExpiryOf(SSL_CTX_get0_certificate(context.get()));
}

absl::StatusOr<Validity> ValidityOfPem(std::string_view pem) {
  const X509Ptr certificate(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return OpensslError("reading a certificate");
  return Validity{ToTime(X509_get0_notBefore(certificate.get())), ExpiryOf(certificate.get())};
}

}  // namespace steward
