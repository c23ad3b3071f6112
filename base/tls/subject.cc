#include "base/tls/subject.h"

#include <openssl/err.h>
#include <openssl/objects.h>
#include <openssl/pem.h>

#include "base/tls/openssl_ptr.h"

namespace steward {

std::vector<std::string> SubjectValues(X509* certificate, const ASN1_OBJECT* type) {
  X509_NAME* subject = X509_get_subject_name(certificate);
  std::vector<std::string> values;
  for (int i = -1; (i = X509_NAME_get_index_by_OBJ(subject, type, i)) >= 0;) {
    unsigned char* utf8 = nullptr;
    const int size =
        ASN1_STRING_to_UTF8(&utf8, X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, i)));
    if (size < 0) continue;
    values.emplace_back(reinterpret_cast<char*>(utf8), static_cast<size_t>(size));
    OPENSSL_free(utf8);
  }
  ERR_clear_error();
  return values;
}

CertificateSubject SubjectOf(X509* certificate) {
  CertificateSubject subject;
  const std::vector<std::string> names = SubjectValues(certificate, OBJ_nid2obj(NID_commonName));
  if (!names.empty()) subject.common_name = names.back();
  subject.organizations = SubjectValues(certificate, OBJ_nid2obj(NID_organizationName));
  return subject;
}

absl::StatusOr<CertificateSubject> SubjectOfPem(std::string_view pem) {
  const BioPtr in = ReadBio(pem);
  if (in == nullptr) return OpensslError("reading a certificate");
  const X509Ptr certificate(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
  if (certificate == nullptr) return OpensslError("a certificate does not parse");
  return SubjectOf(certificate.get());
}

}  // namespace steward
