// The subject of a certificate. Thread-safe for a certificate that no thread changes.
#ifndef BASE_TLS_SUBJECT_H_
#define BASE_TLS_SUBJECT_H_

#include <openssl/x509.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace steward {

// The values of one attribute of the subject, in their order, as UTF-8; values that cannot be
// converted are left out.
std::vector<std::string> SubjectValues(X509* certificate, const ASN1_OBJECT* type);

// A user as Kubernetes reads it from a certificate.
struct CertificateSubject {
  std::string common_name;  // the last one of the subject; "" = none
  std::vector<std::string> organizations;
};
CertificateSubject SubjectOf(X509* certificate);
// The subject of the first certificate in `pem`. kInvalidArgument when none parses.
absl::StatusOr<CertificateSubject> SubjectOfPem(std::string_view pem);

}  // namespace steward

#endif  // BASE_TLS_SUBJECT_H_
