#include "apiserver/filters/authentication/authentication.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/filters/authentication/bearer_token.h"
#include "apiserver/filters/authentication/client_certificate.h"
#include "apiserver/filters/authentication/front_proxy.h"
#include "apiserver/filters/fairness/flow.h"
#include "apiserver/filters/request/status_response.h"
#include "apiserver/filters/reviews/reviewer.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "kube/meta/errors.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::filters {
namespace {

constexpr char kAnonymous[] = "system:anonymous";
constexpr char kAuthenticated[] = "system:authenticated";
constexpr char kUnauthenticated[] = "system:unauthenticated";
constexpr char kNotYet[] = "the cluster's authentication settings were not read yet";
// One of this many requests by certificate is measured, because a measurement costs as much as a
// small answer.
constexpr uint32_t kMeasuredOf = 16;

void AddAuthenticatedGroup(kube::UserInfo& user) {
  if (user.name == kAnonymous) return;
  for (const std::string& group : user.groups) {
    if (group == kAuthenticated || group == kUnauthenticated) return;
  }
  user.groups.push_back(kAuthenticated);
}

kube::UserInfo Anonymous() {
  kube::UserInfo user;
  user.name = kAnonymous;
  user.groups = {kUnauthenticated};
  return user;
}

// True when the method found a user; keeps the first error for the case that no method succeeds.
bool Succeeded(absl::StatusOr<std::optional<kube::UserInfo>>& attempt, absl::Status& error) {
  if (attempt.ok()) return attempt->has_value();
  if (error.ok()) error = attempt.status();
  return false;
}

absl::StatusOr<std::optional<std::string>> BearerTokenOf(const http::Request& request) {
  return BearerToken(request.headers);
}

void SetUser(http::Request& request, kube::UserInfo user) {
  request.user = std::move(user);
  request.authenticated = request.user.name != kAnonymous;
}

// True if the request may go on. If false, it has been answered. A coroutine of its own, so that
// its state is freed while a watch lasts.
boost::asio::awaitable<bool> Identify(Authenticator& authenticator, http::Request& request,
                                      http::ResponseWriter& writer) {
  absl::StatusOr<kube::UserInfo> user = co_await authenticator.Authenticate(request);
  authenticator.Count(user.status());
  authenticator.RemoveCredentials(request.headers);
  if (!user.ok()) {
    log::Warning("Unable to authenticate a request", {{"error", user.status()},
                                                      {"path", request.path},
                                                      {"peer", request.remote_address},
                                                      {"auditID", request.audit_id}});
    // 429 if this server was too busy to ask: nothing has judged the credentials, and the client
    // may try again.
    kube::Status refusal = kube::Unauthorized();
    if (kube::IsTooManyRequests(user.status())) refusal = Reviewer::Overloaded();
    if (absl::IsUnavailable(user.status()) && user.status().message() == kNotYet) {
      refusal = UsersNotKnown();
    }
    co_await RespondStatus(request, writer, std::move(refusal));
    co_return false;
  }
  SetUser(request, *std::move(user));
  request.may_be_anybody = !request.authenticated && authenticator.awaits_cluster();
  co_return true;
}

VoidTask Serve(const http::Handler& next, Authenticator& authenticator, http::Request& request,
               http::ResponseWriter& writer) {
  const bool identified = co_await Identify(authenticator, request, writer);
  if (identified) co_await next(request, writer);
}

}  // namespace

std::optional<kube::UserInfo> Authenticator::ByCertificate(const http::Request& request,
                                                           absl::Status& error) {
  const std::shared_ptr<const AuthenticationConfig> config = configs_.Get();
  const absl::Time now = clock_.Now();
  absl::StatusOr<std::optional<kube::UserInfo>> user =
      AuthenticateFrontProxy(*config, request, now);
  if (Succeeded(user, error)) {
    ObserveCertificate(*config->request_header_ca, *request.peer, now);
  } else {
    user = AuthenticateClientCertificate(*config, request, now);
    if (!Succeeded(user, error)) return std::nullopt;
    ObserveCertificate(*config->client_ca, *request.peer, now);
  }
  AddAuthenticatedGroup(**user);
  return *std::move(user);
}

std::optional<kube::UserInfo> Authenticator::Recognize(const http::Request& request) {
  absl::Status error;
  std::optional<kube::UserInfo> user = ByCertificate(request, error);
  if (user) return user;
  const std::optional<std::string> token = BearerToken(request.headers);
  if (token) user = tokens_.Kept(*token);
  if (user) AddAuthenticatedGroup(*user);
  return user;
}

Task<kube::UserInfo> Authenticator::Authenticate(const http::Request& request) {
  absl::Status error;
  if (std::optional<kube::UserInfo> user = ByCertificate(request, error)) {
    co_return *std::move(user);
  }
  // A token may come from the header or from a WebSocket's subprotocols.
  for (const auto read : {BearerTokenOf, WebSocketToken}) {
    absl::StatusOr<std::optional<std::string>> token = read(request);
    absl::StatusOr<std::optional<kube::UserInfo>> user = std::nullopt;
    if (!token.ok()) {
      user = token.status();
    } else if (!token->has_value()) {
      continue;
    } else {
      ReviewOrigin origin{StrangerFlow(request), request.traceparent};
      user = co_await tokens_.Authenticate(std::move(origin), **std::move(token));
    }
    if (Succeeded(user, error)) {
      AddAuthenticatedGroup(**user);
      co_return **std::move(user);
    }
    if (error.ok()) error = absl::UnauthenticatedError("invalid bearer token");
  }
  // The authority of the client's certificate may not be known yet.
  if (!error.ok() && request.peer != nullptr && awaits_cluster()) {
    co_return absl::UnavailableError(kNotYet);
  }
  CO_RETURN_IF_ERROR(error);
  if (!allow_anonymous_ && awaits_cluster()) co_return absl::UnavailableError(kNotYet);
  if (!allow_anonymous_) co_return absl::UnauthenticatedError("no credentials");
  co_return Anonymous();
}

void Authenticator::Count(const absl::Status& result) {
  if (metrics_ != nullptr) metrics_->ObserveAttempt(result);
}

void Authenticator::ObserveCertificate(const X509Verifier& verifier,
                                       const http::PeerCertificates& peer, absl::Time now) {
  if (metrics_ == nullptr) return;
  if (by_certificate_.fetch_add(1, std::memory_order_relaxed) % kMeasuredOf != 0) return;
  const auto identity = verifier.Verify(peer, now);
  if (identity.ok()) metrics_->ObserveCertificate((*identity)->not_after - now);
}

void Authenticator::RemoveCredentials(http::Headers& headers) const {
  RemoveIdentityHeaders(*configs_.Get(), headers);
  RemoveWebSocketTokens(headers);
}

http::Handler WithAuthentication(http::Handler next, Authenticator& authenticator) {
  return [next = std::move(next), &authenticator](http::Request& request,
                                                  http::ResponseWriter& writer) {
    std::optional<kube::UserInfo> user = authenticator.Recognize(request);
    if (!user) return Serve(next, authenticator, request, writer);
    authenticator.Count(absl::OkStatus());
    authenticator.RemoveCredentials(request.headers);
    SetUser(request, *std::move(user));
    return next(request, writer);
  };
}

}  // namespace steward::filters
