// The check of an existing certificate for further use. Thread-safe.
#ifndef BASE_TLS_CERTIFICATE_CHECK_H_
#define BASE_TLS_CERTIFICATE_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/tls/certificate.h"

namespace steward {

// OK while `pair` serves the purpose of `wanted`: certificate and key parse and belong together,
// the common name is the same, every DNS name and address is covered, it is a CA if one is wanted,
// and both `now` and `now + remaining` lie within its validity. An `issuer` must have signed it.
// The times in `wanted` are ignored. The error gives the reason.
absl::Status CheckCertificate(const PemKeyPair& pair, const CertificateSpec& wanted,
                              const PemKeyPair* issuer, absl::Time now, absl::Duration remaining);

// Adds each name to the spec once, as an IP address if it is one, else as a DNS name; empty names
// and the unspecified addresses (0.0.0.0, ::) are left out.
void AddSubjects(const std::vector<std::string>& names, CertificateSpec& spec);

// The name of this machine; "" when it has none.
std::string HostName();

}  // namespace steward

#endif  // BASE_TLS_CERTIFICATE_CHECK_H_
