// Whom a certificate is about.
#ifndef BASE_TLS_SUBJECT_H_
#define BASE_TLS_SUBJECT_H_

#include <openssl/x509.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace steward {

// The values of one attribute of the subject, in their order, as UTF-8; those that cannot be had in
// it are left out.
std::vector<std::string> SubjectValues(X509* certificate, const ASN1_OBJECT* type);

// As Kubernetes reads users from certificates.
struct CertificateSubject {
  std::string common_name;  // the last one; "" = none
  std::vector<std::string> organizations;
};
CertificateSubject SubjectOf(X509* certificate);
// Of the first certificate in `pem`. kInvalidArgument when there is none that parses.
absl::StatusOr<CertificateSubject> SubjectOfPem(std::string_view pem);

}  // namespace steward

#endif  // BASE_TLS_SUBJECT_H_
