// Who asks.
#ifndef APISERVER_FILTERS_AUTHENTICATION_H_
#define APISERVER_FILTERS_AUTHENTICATION_H_

#include <atomic>
#include <cstdint>
#include <optional>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/filters/authentication_config.h"
#include "apiserver/filters/authentication_metrics.h"
#include "apiserver/filters/token_authenticator.h"
#include "apiserver/filters/x509_verifier.h"
#include "apiserver/http/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// Tries the methods in Kubernetes' order: front proxy, client certificate, bearer token, bearer
// token of a WebSocket; the first success wins. A user gets the group system:authenticated. Without
// credentials of any kind the user is system:anonymous, if that is allowed; bad credentials never
// become anonymous. Thread-safe. Borrows its dependencies.
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

  // The user, as Authenticate would find it, if nobody has to be asked; nullopt: Authenticate
  // knows. Most requests' users are known, and a task costs more than that.
  std::optional<http::UserInfo> Recognize(const http::Request& request);

  // kUnauthenticated: bad or missing credentials; another error: they could not be checked.
  Task<http::UserInfo> Authenticate(const http::Request& request);

  // Counts what Authenticate answered, or what Recognize knew.
  void Count(const absl::Status& result);

  // Removes from a request what only authentication may read.
  void RemoveCredentials(http::Headers& headers) const;

 private:
  // By front proxy or client certificate. `error`: the first one, if nothing succeeded.
  std::optional<http::UserInfo> ByCertificate(const http::Request& request, absl::Status& error);
  // Of a request that this verifier's certificates authenticated.
  void ObserveCertificate(const X509Verifier& verifier, const http::PeerCertificates& peer,
                          absl::Time now);

  const AuthenticationConfigStore& configs_;
  TokenAuthenticator& tokens_;
  Clock& clock_;
  const bool allow_anonymous_;
  AuthenticationMetrics* const metrics_;
  std::atomic<uint32_t> by_certificate_{0};  // requests
};

// Fills in Request.user and removes the identity headers, or answers 401: the client learns nothing
// about the reason, the log does. 429 when too many tokens are being reviewed. `authenticator`
// outlives the handler.
http::Handler WithAuthentication(http::Handler next, Authenticator& authenticator);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_H_
