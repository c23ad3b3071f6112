// A certificate authority in a directory of its own, for a server that has no cluster around it
// (`steward up`). Only one process at a time may use a directory.
#ifndef BASE_TLS_LOCAL_CA_H_
#define BASE_TLS_LOCAL_CA_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/tls/certificate.h"

namespace steward {

struct LocalCaOptions {
  std::string directory;  // created when missing, mode 0700
  // Names of the serving certificate besides localhost, 127.0.0.1 and ::1. An unspecified address
  // (0.0.0.0, ::) adds the host's name.
  std::string bind_address;
  std::vector<std::string> names;  // DNS names or IP addresses
  bool admin = true;               // also makes a certificate for the administrator
  // Common names for the certificates of further clients. The files have the same names.
  std::vector<std::string> clients;
  absl::Time now;
};

struct LocalCertificates {
  std::string ca_file;
  std::string ca_pem;
  CertificateFiles serving;
  // CN=steward-admin, O=system:masters: the holder may do everything.
  PemKeyPair admin;
  std::map<std::string, CertificateFiles> clients;  // by common name
};

// Creates DIR/ca, DIR/serving, DIR/admin and DIR/<client>, each a .crt and a .key (ECDSA P-256,
// keys with mode 0600), unless there are usable ones. Keeping them lets clients that know the
// authority go on trusting it. The authority (valid for ten years) is usable until a year before
// its end. The other certificates (valid for 365 days) are usable while the authority has signed
// them, they cover all names, and they are valid for another 30 days. An error names the file that
// cannot be read or written.
absl::StatusOr<LocalCertificates> EnsureLocalCertificates(const LocalCaOptions& options);

}  // namespace steward

#endif  // BASE_TLS_LOCAL_CA_H_
