// The authentication of requests. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_H_
#define APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_H_

#include <atomic>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/filters/authentication/authentication_config.h"
#include "apiserver/filters/authentication/authentication_metrics.h"
#include "apiserver/filters/authentication/token_authenticator.h"
#include "apiserver/filters/authentication/x509_verifier.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"
#include "kube/meta/user_info.h"

namespace steward::filters {

// Tries the methods in Kubernetes' order: front proxy, client certificate, bearer token, bearer
// token of a WebSocket; the first success wins. A user gets the group system:authenticated. Without
// any credentials the user is system:anonymous, if that is allowed; bad credentials never become
// anonymous. As long as the cluster's CAs have not been read
// (AuthenticationConfigStore::awaits_cluster), a user who seems anonymous may be anybody. Borrows
// its dependencies.
class Authenticator {
 public:
  // `metrics` may be null.
  Authenticator(const AuthenticationConfigStore& configs, TokenAuthenticator& tokens, Clock& clock,
                bool allow_anonymous, AuthenticationMetrics* metrics = nullptr)
      : configs_(configs),
        tokens_(tokens),
        clock_(clock),
        allow_anonymous_(allow_anonymous),
        metrics_(metrics) {}

  // Returns what Authenticate would return, if that needs no call of the kube-apiserver; nullopt:
  // call Authenticate. Saves the cost of a task, because the users of most requests are known.
  std::optional<kube::UserInfo> Recognize(const http::Request& request);

  // kUnauthenticated: bad or missing credentials. kUnavailable: the credentials cannot be checked
  // yet. Other errors: the check failed.
  Task<kube::UserInfo> Authenticate(const http::Request& request);

  // True if an anonymous user may be anybody.
  bool awaits_cluster() const { return configs_.awaits_cluster(); }

  // Counts a result of Authenticate, or OK for a user found by Recognize.
  void Count(const absl::Status& result);

  // Removes the headers that only authentication may read.
  void RemoveCredentials(http::Headers& headers) const;

 private:
  // The user by front proxy or client certificate. `error` receives the first error if neither
  // succeeds.
  std::optional<kube::UserInfo> ByCertificate(const http::Request& request, absl::Status& error);
  // Measures the certificate of a request that this verifier authenticated.
  void ObserveCertificate(const X509Verifier& verifier, const http::PeerCertificates& peer,
                          absl::Time now);

  const AuthenticationConfigStore& configs_;
  TokenAuthenticator& tokens_;
  Clock& clock_;
  const bool allow_anonymous_;
  AuthenticationMetrics* const metrics_;
  std::atomic<uint32_t> by_certificate_{0};  // requests
};

// Fills in Request.user and removes the identity headers, or answers 401; only the log says why.
// 429 when too many tokens are being reviewed, 503 when users are not known yet. `authenticator`
// outlives the handler.
http::Handler WithAuthentication(http::Handler next, Authenticator& authenticator);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_H_
