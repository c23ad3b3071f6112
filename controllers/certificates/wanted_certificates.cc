#include "controllers/certificates/wanted_certificates.h"

#include <algorithm>

#include "absl/status/statusor.h"
#include "base/text/str_cat.h"
#include "base/tls/certificate_check.h"
#include "base/tls/expiry.h"

namespace steward::controllers {
namespace {

WantedCertificate Server(std::string secret, std::string_view service, std::string_view ns) {
  WantedCertificate wanted;
  wanted.secret = std::move(secret);
  wanted.spec.common_name = std::string(service);
  wanted.spec.dns_names = {StrCat(service, ".", ns, ".svc")};
  wanted.spec.server_auth = true;
  return wanted;
}

bool IsOf(const PemKeyPair& pair, const CertificateSpec& wanted, const Root& root, absl::Time now) {
  return CheckCertificate(pair, wanted, &root.pair, now, absl::ZeroDuration()).ok();
}

}  // namespace

std::vector<WantedCertificate> WantedCertificates(std::string_view ns) {
  std::vector<WantedCertificate> all;
  all.push_back(Server(std::string(kServingSecret), "steward-apiserver", ns));
  for (const char* service :
       {"steward-controllers", "steward-copied-csvs", "steward-install-plans"})
    all.push_back(Server(StrCat(service, "-grpc"), service, ns));
  // Prometheus scrapes the pods' addresses, and expects the name in a ServiceMonitor or PodMonitor.
  for (const char* name :
       {"steward-apiservice-guard", "steward-certificates", "steward-controllers",
        "steward-copied-csvs", "steward-install-plans", "steward-operators", "steward-payload"}) {
    all.push_back(Server(StrCat(name, "-metrics"), name, ns));
  }
  WantedCertificate client;
  client.secret = "steward-apiserver-grpc";
  client.spec.common_name = "steward-apiserver";
  client.spec.client_auth = true;
  all.push_back(std::move(client));
  return all;
}

bool Stands(const PemKeyPair& pair, const CertificateSpec& wanted, const Authority& authority,
            absl::Time now) {
  const absl::StatusOr<Validity> validity = ValidityOfPem(pair.cert_pem);
  if (!validity.ok() || now >= DueAt(*validity)) return false;
  if (authority.signer() == nullptr) return false;
  if (authority.settled()) return IsOf(pair, wanted, *authority.signer(), now);
  const std::vector<Root>& roots = authority.roots();
  return std::any_of(roots.begin(), roots.end(),
                     [&](const Root& root) { return IsOf(pair, wanted, root, now); });
}

}  // namespace steward::controllers
