// The certificates that Steward's processes are served and known by. Pure functions.
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

// True if `pair` need not be issued anew: it is what is wanted, two thirds of its life are not
// over, and a trusted root has signed it, which is the one that signs, unless that one is too
// young.
bool Stands(const PemKeyPair& pair, const CertificateSpec& wanted, const Authority& authority,
            absl::Time now);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_WANTED_CERTIFICATES_H_
