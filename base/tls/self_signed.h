// A serving certificate for a server that was given none: made once and kept in a directory. No two
// calls may use the same directory at a time.
#ifndef BASE_TLS_SELF_SIGNED_H_
#define BASE_TLS_SELF_SIGNED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/tls/certificate.h"

namespace steward {

struct SelfSignedOptions {
  std::string directory;  // --cert-dir; created when missing
  // Names of the certificate besides localhost, 127.0.0.1 and the host's name. An unspecified
  // address (0.0.0.0, ::) is left out.
  std::string bind_address;
  std::vector<std::string> names;  // DNS names or IP addresses
  absl::Time now;
};

// Returns DIR/apiserver.crt and DIR/apiserver.key. An existing pair is kept while it is usable,
// covers all names and is valid for at least one more day; else a new one is written, valid for a
// year, the key with mode 0600. May be called repeatedly, to renew the pair in time.
absl::StatusOr<CertificateFiles> EnsureSelfSigned(const SelfSignedOptions& options);

}  // namespace steward

#endif  // BASE_TLS_SELF_SIGNED_H_
