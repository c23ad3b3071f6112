// Issuing of X.509 certificates: the server's own, a local authority's, and those of tests.
// Thread-safe.
#ifndef BASE_TLS_CERTIFICATE_H_
#define BASE_TLS_CERTIFICATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace steward {

// A certificate (chain, leaf first) and the leaf's private key, both PEM.
struct PemKeyPair {
  std::string cert_pem;
  std::string key_pem;
  bool operator==(const PemKeyPair&) const = default;
};

// The files of a PemKeyPair.
struct CertificateFiles {
  std::string cert_file;
  std::string key_file;
};

struct CertificateSpec {
  std::string common_name;
  std::vector<std::string> organizations;
  std::vector<std::string> dns_names;
  std::vector<std::string> ip_addresses;  // text form, IPv4 or IPv6
  bool client_auth = false;               // extended key usages
  bool server_auth = false;
  bool is_ca = false;
  absl::Time not_before;
  absl::Time not_after;
};

// A new ECDSA P-256 key and a certificate for it, signed by `issuer` (null: self-signed).
// kInvalidArgument for a bad address, an overlong name, or an issuer that does not parse.
absl::StatusOr<PemKeyPair> IssueCertificate(const CertificateSpec& spec,
                                            const PemKeyPair* issuer = nullptr);

// The certificates of a PEM text, each as the PEM that OpenSSL writes. Stops before the first that
// does not parse.
std::vector<std::string> SplitCertificates(std::string_view pem);

// The spec of a root authority: valid from an hour before `now` for ten years.
CertificateSpec AuthoritySpec(std::string_view common_name, absl::Time now);

}  // namespace steward

#endif  // BASE_TLS_CERTIFICATE_H_
