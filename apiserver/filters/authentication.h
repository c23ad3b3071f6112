// Who asks.
#ifndef APISERVER_FILTERS_AUTHENTICATION_H_
#define APISERVER_FILTERS_AUTHENTICATION_H_

#include "apiserver/filters/authentication_config.h"
#include "apiserver/filters/token_authenticator.h"
#include "apiserver/http/message.h"
#include "base/clock/clock.h"

namespace steward::filters {

// Tries the methods in Kubernetes' order: front proxy, client certificate, bearer token, bearer
// token of a WebSocket; the first success wins. A user gets the group system:authenticated. Without
// credentials of any kind the user is system:anonymous, if that is allowed; bad credentials never
// become anonymous. Thread-safe. Borrows its dependencies.
class Authenticator {
 public:
  Authenticator(const AuthenticationConfigStore& configs, TokenAuthenticator& tokens, Clock& clock,
                bool allow_anonymous)
      : configs_(configs), tokens_(tokens), clock_(clock), allow_anonymous_(allow_anonymous) {}

  // kUnauthenticated: bad or missing credentials; another error: they could not be checked.
  Task<http::UserInfo> Authenticate(const http::Request& request);

  // Removes from a request what only authentication may read.
  void RemoveCredentials(http::Headers& headers) const;

 private:
  const AuthenticationConfigStore& configs_;
  TokenAuthenticator& tokens_;
  Clock& clock_;
  const bool allow_anonymous_;
};

// Fills in Request.user and removes the identity headers, or answers 401: the client learns nothing
// about the reason, the log does. 429 when too many tokens are being reviewed. `authenticator`
// outlives the handler.
http::Handler WithAuthentication(http::Handler next, Authenticator& authenticator);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_H_
