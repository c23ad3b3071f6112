// Whether a certificate that was made earlier can still be used.
#ifndef BASE_TLS_CERTIFICATE_CHECK_H_
#define BASE_TLS_CERTIFICATE_CHECK_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/tls/certificate.h"

namespace steward {

// OK while `pair` can stand for what `wanted` asks for: certificate and key parse and belong
// together, the common name is the same, every DNS name and address is covered, it is a CA if one
// is wanted, `now` lies within its validity and so does `now + remaining`. With an issuer, that has
// signed it. `wanted`'s times don't count. The error says why not.
absl::Status CheckCertificate(const PemKeyPair& pair, const CertificateSpec& wanted,
                              const PemKeyPair* issuer, absl::Time now, absl::Duration remaining);

// Adds each name to the spec once, as an IP address if it is one, else as a DNS name; empty names
// and the unspecified addresses (0.0.0.0, ::) are left out.
void AddSubjects(const std::vector<std::string>& names, CertificateSpec& spec);

// The name of this machine; "" when it has none.
std::string HostName();

}  // namespace steward

#endif  // BASE_TLS_CERTIFICATE_CHECK_H_
