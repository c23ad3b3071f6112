#include "base/tls/certificate_check.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>

#include "base/status/macros.h"
#include "base/text/ip_address.h"
#include "base/text/str_cat.h"
#include "base/tls/openssl_ptr.h"

namespace steward {
namespace {

X509Ptr ReadCertificate(const std::string& pem) {
  return X509Ptr(PEM_read_bio_X509(ReadBio(pem).get(), nullptr, nullptr, nullptr));
}

void AddUnique(std::vector<std::string>& list, const std::string& value) {
  if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

std::string CommonName(X509* cert) {
  X509_NAME* subject = X509_get_subject_name(cert);
  const int place = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (place < 0) return "";
  const ASN1_STRING* text = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, place));
  return std::string(reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
                     static_cast<size_t>(ASN1_STRING_length(text)));
}

absl::Status CheckNames(X509* cert, const CertificateSpec& wanted) {
  if (CommonName(cert) != wanted.common_name) {
    return absl::FailedPreconditionError(StrCat("is not for ", wanted.common_name));
  }
  for (const std::string& name : wanted.dns_names) {
    if (X509_check_host(cert, name.data(), name.size(), 0, nullptr) != 1) {
      return absl::FailedPreconditionError(StrCat("does not cover ", name));
    }
  }
  for (const std::string& address : wanted.ip_addresses) {
    if (X509_check_ip_asc(cert, address.c_str(), 0) != 1) {
      return absl::FailedPreconditionError(StrCat("does not cover ", address));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckIssuer(X509* cert, const PemKeyPair& issuer) {
  const X509Ptr authority = ReadCertificate(issuer.cert_pem);
  if (authority == nullptr) return OpensslError("reading the issuer");
  if (X509_check_issued(authority.get(), cert) != X509_V_OK ||
      X509_verify(cert, X509_get0_pubkey(authority.get())) != 1) {
    return absl::FailedPreconditionError("was signed by another authority");
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckCertificate(const PemKeyPair& pair, const CertificateSpec& wanted,
                              const PemKeyPair* issuer, absl::Time now, absl::Duration remaining) {
  struct ClearErrors {
    ~ClearErrors() { ERR_clear_error(); }
  } clear_errors;
  const X509Ptr cert = ReadCertificate(pair.cert_pem);
  const EvpPkeyPtr key(
      PEM_read_bio_PrivateKey(ReadBio(pair.key_pem).get(), nullptr, nullptr, nullptr));
  if (cert == nullptr || key == nullptr) return OpensslError("reading the pair");
  if (X509_check_private_key(cert.get(), key.get()) != 1)
    return OpensslError("matching certificate and key");
  time_t begin = absl::ToTimeT(now);
  time_t end = absl::ToTimeT(now + remaining);
  if (X509_cmp_time(X509_get0_notBefore(cert.get()), &begin) > 0 ||
      X509_cmp_time(X509_get0_notAfter(cert.get()), &end) < 0) {
    return absl::FailedPreconditionError("not valid yet, expired, or about to expire");
  }
  if (wanted.is_ca && X509_check_ca(cert.get()) == 0) {
    return absl::FailedPreconditionError("is no certificate authority");
  }
  RETURN_IF_ERROR(CheckNames(cert.get(), wanted));
  return issuer == nullptr ? absl::OkStatus() : CheckIssuer(cert.get(), *issuer);
}

void AddSubjects(const std::vector<std::string>& names, CertificateSpec& spec) {
  for (const std::string& name : names) {
    if (name.empty() || name == "0.0.0.0" || name == "::") continue;
    AddUnique(IsIpAddress(name) ? spec.ip_addresses : spec.dns_names, name);
  }
}

std::string HostName() {
  char host[256] = {};
  return gethostname(host, sizeof host - 1) == 0 ? host : "";
}

}  // namespace steward
