#include "apiserver/filters/authentication/client_certificate.h"

#include "base/status/macros.h"
#include "kube/meta/user_info.h"

namespace steward::filters {

absl::StatusOr<std::optional<kube::UserInfo>> AuthenticateClientCertificate(
    const AuthenticationConfig& config, const http::Request& request, absl::Time now) {
  if (request.peer == nullptr || request.peer->der.empty()) return std::nullopt;
  if (config.client_ca == nullptr) return std::nullopt;
  ASSIGN_OR_RETURN(const std::shared_ptr<const CertificateIdentity> identity,
                   config.client_ca->Verify(*request.peer, now));
  if (identity->common_name.empty()) return std::nullopt;
  if (identity->uids.size() > 1) {
    return absl::UnauthenticatedError("the client's certificate names several UIDs");
  }
  kube::UserInfo user;
  user.name = identity->common_name;
  user.groups = identity->organizations;
  user.until = identity->not_after;
  if (!identity->uids.empty()) {
    user.uid = identity->uids[0];
    if (user.uid.empty()) {
      return absl::UnauthenticatedError("the client's certificate names an empty UID");
    }
  }
  user.extra.push_back(
      {"authentication.kubernetes.io/credential-id", {"X509SHA256=" + identity->sha256}});
  return user;
}

}  // namespace steward::filters
