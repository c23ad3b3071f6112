// Authentication by a trusted proxy in front of this server: the kube-apiserver's aggregator.
// Thread-safe.
#ifndef APISERVER_FILTERS_AUTHENTICATION_FRONT_PROXY_H_
#define APISERVER_FILTERS_AUTHENTICATION_FRONT_PROXY_H_

#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/filters/authentication/authentication_config.h"
#include "apiserver/http/message/message.h"
#include "kube/meta/user_info.h"

namespace steward::filters {

// OK when the peer is a front proxy: its certificate verifies against the request-header CA and has
// an allowed common name. kUnauthenticated: the peer is no front proxy; kFailedPrecondition: no
// front proxy is configured.
absl::Status VerifyFrontProxy(const AuthenticationConfig& config,
                              const http::PeerCertificates& peer, absl::Time now);

// Trusts the identity headers only over a client certificate that verifies against the
// request-header CA and has an allowed common name. nullopt: this method does not apply (no
// certificate, no config, no user name in the headers). kUnauthenticated: the certificate is not a
// front proxy's; another method may still accept it.
absl::StatusOr<std::optional<kube::UserInfo>> AuthenticateFrontProxy(
    const AuthenticationConfig& config, const http::Request& request, absl::Time now);

// Removes every header that could be taken for an identity or a credential: Authorization, the
// standard X-Remote-*, and the configured headers. Scans the headers only once.
void RemoveIdentityHeaders(const AuthenticationConfig& config, http::Headers& headers);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_FRONT_PROXY_H_
