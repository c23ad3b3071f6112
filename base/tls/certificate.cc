#include "base/tls/certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include "absl/strings/str_join.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/tls/openssl_ptr.h"

namespace steward {
namespace {

using ExtensionPtr = std::unique_ptr<X509_EXTENSION, OpensslFree<X509_EXTENSION_free>>;
using GeneralNamesPtr = std::unique_ptr<GENERAL_NAMES, OpensslFree<GENERAL_NAMES_free>>;
using GeneralNamePtr = std::unique_ptr<GENERAL_NAME, OpensslFree<GENERAL_NAME_free>>;
using OctetsPtr = std::unique_ptr<ASN1_OCTET_STRING, OpensslFree<ASN1_OCTET_STRING_free>>;
using Ia5Ptr = std::unique_ptr<ASN1_IA5STRING, OpensslFree<ASN1_IA5STRING_free>>;

absl::StatusOr<std::string> Drain(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  if (size < 0) return OpensslError("reading a memory buffer");
  return std::string(data, static_cast<size_t>(size));
}

absl::Status AddExtension(X509* cert, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, cert, nullptr, nullptr, 0);
  ExtensionPtr extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  if (extension == nullptr || X509_add_ext(cert, extension.get(), -1) != 1) {
    return OpensslError(StrCat("adding certificate extension ", OBJ_nid2sn(nid)));
  }
  return absl::OkStatus();
}

absl::Status PushName(GENERAL_NAMES* names, int type, ASN1_STRING* value) {
  GeneralNamePtr name(GENERAL_NAME_new());
  GENERAL_NAME_set0_value(name.get(), type, value);
  if (sk_GENERAL_NAME_push(names, name.get()) == 0) return OpensslError("adding a SAN");
  (void)name.release();
  return absl::OkStatus();
}

// Builds the names from values. In OpenSSL's configuration syntax, one name could smuggle in
// another.
absl::Status AddAlternativeNames(X509* cert, const CertificateSpec& spec) {
  GeneralNamesPtr names(GENERAL_NAMES_new());
  for (const std::string& dns : spec.dns_names) {
    Ia5Ptr value(ASN1_IA5STRING_new());
    if (ASN1_STRING_set(value.get(), dns.data(), static_cast<int>(dns.size())) != 1)
      return OpensslError("DNS name");
    RETURN_IF_ERROR(PushName(names.get(), GEN_DNS, value.release()));
  }
  for (const std::string& ip : spec.ip_addresses) {
    OctetsPtr value(a2i_IPADDRESS(ip.c_str()));
    if (value == nullptr) return OpensslError(StrCat("IP address \"", ip, "\""));
    RETURN_IF_ERROR(PushName(names.get(), GEN_IPADD, value.release()));
  }
  if (sk_GENERAL_NAME_num(names.get()) == 0) return absl::OkStatus();
  if (X509_add1_ext_i2d(cert, NID_subject_alt_name, names.get(), 0, 0) != 1)
    return OpensslError("adding SANs");
  return absl::OkStatus();
}

absl::Status AddSubjectEntry(X509_NAME* subject, const char* field, const std::string& value) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(value.data());
  if (X509_NAME_add_entry_by_txt(subject, field, MBSTRING_UTF8, bytes,
                                 static_cast<int>(value.size()), -1, 0) != 1) {
    return OpensslError(StrCat("subject ", field, "=", value));
  }
  return absl::OkStatus();
}

absl::Status AddUsages(X509* cert, X509* issuer, const CertificateSpec& spec) {
  RETURN_IF_ERROR(AddExtension(cert, issuer, NID_basic_constraints,
                               spec.is_ca ? "critical,CA:TRUE" : "critical,CA:FALSE"));
  RETURN_IF_ERROR(AddExtension(
      cert, issuer, NID_key_usage,
      spec.is_ca ? "critical,keyCertSign,cRLSign,digitalSignature" : "critical,digitalSignature"));
  std::vector<std::string> usages;
  if (spec.client_auth) usages.push_back("clientAuth");
  if (spec.server_auth) usages.push_back("serverAuth");
  if (!usages.empty())
    RETURN_IF_ERROR(AddExtension(cert, issuer, NID_ext_key_usage, absl::StrJoin(usages, ",")));
  RETURN_IF_ERROR(AddExtension(cert, issuer, NID_subject_key_identifier, "hash"));
  return AddExtension(cert, issuer, NID_authority_key_identifier, "keyid");
}

absl::Status SetSerialAndValidity(X509* cert, const CertificateSpec& spec) {
  unsigned char serial[16];
  if (RAND_bytes(serial, sizeof serial) != 1) return OpensslError("random serial");
  serial[0] = (serial[0] & 0x7f) | 0x40;  // positive and of fixed length
  std::unique_ptr<BIGNUM, OpensslFree<BN_free>> number(BN_bin2bn(serial, sizeof serial, nullptr));
  if (BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(cert)) == nullptr)
    return OpensslError("serial");
  if (ASN1_TIME_set(X509_getm_notBefore(cert), absl::ToTimeT(spec.not_before)) == nullptr ||
      ASN1_TIME_set(X509_getm_notAfter(cert), absl::ToTimeT(spec.not_after)) == nullptr) {
    return OpensslError("validity");
  }
  return absl::OkStatus();
}

absl::StatusOr<PemKeyPair> ToPem(X509* cert, EVP_PKEY* key) {
  BioPtr cert_out(BIO_new(BIO_s_mem()));
  BioPtr key_out(BIO_new(BIO_s_mem()));
  if (PEM_write_bio_X509(cert_out.get(), cert) != 1 ||
      PEM_write_bio_PKCS8PrivateKey(key_out.get(), key, nullptr, nullptr, 0, nullptr, nullptr) !=
          1) {
    return OpensslError("writing PEM");
  }
  PemKeyPair pair;
  ASSIGN_OR_RETURN(pair.cert_pem, Drain(cert_out.get()));
  ASSIGN_OR_RETURN(pair.key_pem, Drain(key_out.get()));
  return pair;
}

}  // namespace

absl::StatusOr<PemKeyPair> IssueCertificate(const CertificateSpec& spec, const PemKeyPair* issuer) {
  EvpPkeyPtr key(EVP_EC_gen("P-256"));
  X509Ptr cert(X509_new());
  if (key == nullptr || cert == nullptr || X509_set_version(cert.get(), X509_VERSION_3) != 1) {
    return OpensslError("generating a key");
  }
  X509Ptr issuer_cert;
  EvpPkeyPtr issuer_key;
  if (issuer != nullptr) {
    issuer_cert.reset(
        PEM_read_bio_X509(ReadBio(issuer->cert_pem).get(), nullptr, nullptr, nullptr));
    issuer_key.reset(
        PEM_read_bio_PrivateKey(ReadBio(issuer->key_pem).get(), nullptr, nullptr, nullptr));
    if (issuer_cert == nullptr || issuer_key == nullptr) return OpensslError("reading the issuer");
  }
  X509* signer = issuer_cert != nullptr ? issuer_cert.get() : cert.get();

  RETURN_IF_ERROR(SetSerialAndValidity(cert.get(), spec));
  X509_NAME* subject = X509_get_subject_name(cert.get());
  for (const std::string& organization : spec.organizations)
    RETURN_IF_ERROR(AddSubjectEntry(subject, "O", organization));
  if (!spec.common_name.empty()) RETURN_IF_ERROR(AddSubjectEntry(subject, "CN", spec.common_name));
  if (X509_set_issuer_name(cert.get(), X509_get_subject_name(signer)) != 1 ||
      X509_set_pubkey(cert.get(), key.get()) != 1) {
    return OpensslError("filling in a certificate");
  }
  RETURN_IF_ERROR(AddUsages(cert.get(), signer, spec));
  RETURN_IF_ERROR(AddAlternativeNames(cert.get(), spec));
  if (X509_sign(cert.get(), issuer_key != nullptr ? issuer_key.get() : key.get(), EVP_sha256()) ==
      0) {
    return OpensslError("signing a certificate");
  }
  return ToPem(cert.get(), key.get());
}

std::vector<std::string> SplitCertificates(std::string_view pem) {
  std::vector<std::string> certificates;
  const BioPtr in = ReadBio(pem);
  while (true) {
    const X509Ptr cert(PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr));
    if (cert == nullptr) break;
    const BioPtr out(BIO_new(BIO_s_mem()));
    if (PEM_write_bio_X509(out.get(), cert.get()) != 1) break;
    absl::StatusOr<std::string> text = Drain(out.get());
    if (!text.ok()) break;
    certificates.push_back(*std::move(text));
  }
  // OpenSSL reports the end of the text as an error, too.
  ERR_clear_error();
  return certificates;
}

CertificateSpec AuthoritySpec(std::string_view common_name, absl::Time now) {
  CertificateSpec spec;
  spec.common_name = std::string(common_name);
  spec.is_ca = true;
  spec.not_before = now - absl::Hours(1);
  spec.not_after = now + absl::Hours(24 * 3650);
  return spec;
}

}  // namespace steward
