// Authentication by a client certificate of the cluster's CA. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHENTICATION_CLIENT_CERTIFICATE_H_
#define APISERVER_FILTERS_AUTHENTICATION_CLIENT_CERTIFICATE_H_

#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "apiserver/filters/authentication/authentication_config.h"
#include "apiserver/http/message/message.h"
#include "kube/meta/user_info.h"

namespace steward::filters {

// User = common name, groups = organizations, UID = the attribute 1.3.6.1.4.1.57683.2. nullopt:
// this method does not apply (no certificate, no CA, no common name). kUnauthenticated: the
// certificate does not verify.
absl::StatusOr<std::optional<kube::UserInfo>> AuthenticateClientCertificate(
    const AuthenticationConfig& config, const http::Request& request, absl::Time now);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_CLIENT_CERTIFICATE_H_
