// The certificates with which Steward's processes serve and identify themselves. Pure functions.
#ifndef CONTROLLERS_CERTIFICATES_WANTED_CERTIFICATES_H_
#define CONTROLLERS_CERTIFICATES_WANTED_CERTIFICATES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/tls/certificate.h"
#include "controllers/certificates/authority.h"

namespace steward::controllers {

// The Secret of the API server's serving certificate.
inline constexpr std::string_view kServingSecret = "steward-apiserver-cert";

struct WantedCertificate {
  std::string secret;
  CertificateSpec spec;  // without times
};

// The certificates that the Deployments of deploy/ mount, in Steward's namespace.
std::vector<WantedCertificate> WantedCertificates(std::string_view ns);

// True if `pair` need not be issued anew: it matches `wanted`, less than two thirds of its life are
// over, and a trusted root has signed it. That root must be the current signer, unless the signer
// is too young (Authority::settled).
bool Stands(const PemKeyPair& pair, const CertificateSpec& wanted, const Authority& authority,
            absl::Time now);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_WANTED_CERTIFICATES_H_
