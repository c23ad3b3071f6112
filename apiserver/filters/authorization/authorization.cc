#include "apiserver/filters/authorization/authorization.h"

#include <boost/asio/awaitable.hpp>
#include <utility>

#include "apiserver/filters/authorization/rechecked_writer.h"
#include "apiserver/filters/request/request_info.h"
#include "apiserver/filters/request/status_response.h"
#include "apiserver/filters/reviews/reviewer.h"
#include "base/log/log.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"

namespace steward::filters {
namespace {

// True if the request may go on. If false, it has been answered. A coroutine of its own, so that
// its state is freed while a watch lasts.
boost::asio::awaitable<bool> Admit(Authorizer& authorizer, const http::Request& request,
                                   http::ResponseWriter& writer) {
  if (request.may_be_anybody) {
    if (request.audit != nullptr) request.audit->NoteUndecided();
    co_await RespondStatus(request, writer, UsersNotKnown());
    co_return false;
  }
  const absl::StatusOr<Decision> decision = co_await authorizer.Authorize(request);
  if (!decision.ok()) {
    if (request.audit != nullptr) request.audit->NoteUndecided();
    log::Error("Unable to authorize a request", {{"error", decision.status()},
                                                 {"user", request.user.name},
                                                 {"path", request.path},
                                                 {"auditID", request.audit_id}});
    kube::Status failure = kube::InternalError(
        "the request could not be authorized: the kube-apiserver did not answer a "
        "SubjectAccessReview");
    if (kube::IsTooManyRequests(decision.status())) failure = Reviewer::Overloaded();
    co_await RespondStatus(request, writer, std::move(failure));
    co_return false;
  }
  if (request.audit != nullptr) request.audit->NoteDecision(decision->allowed, decision->reason);
  if (!decision->allowed) {
    co_await RespondStatus(request, writer, ForbiddenStatus(request, decision->reason));
    co_return false;
  }
  co_return true;
}

VoidTask Serve(const http::Handler& next, AuthorizationDeps deps, http::Request& request,
               http::ResponseWriter& writer) {
  const bool admitted = co_await Admit(deps.authorizer, request, writer);
  if (!admitted) co_return;
  if (!IsLongRunning(request.info)) {
    co_await next(request, writer);
    co_return;
  }
  RecheckedWriter rechecked(writer, request, deps.authorizer, deps.clock, deps.random);
  co_await next(request, rechecked);
  if (!rechecked.refused()) co_return;
  const absl::Status finished = co_await writer.Finish();
  finished.IgnoreError();  // the client may be gone
}

}  // namespace

kube::Status ForbiddenStatus(const http::Request& request, std::string_view reason) {
  const http::RequestInfo& info = request.info;
  if (!info.is_resource) {
    return kube::ForbiddenPath(request.user.name, info.verb, request.path, reason);
  }
  const kube::GroupVersionResource gvr{info.group, info.version, info.resource};
  return kube::Forbidden(
      gvr, info.name,
      kube::ForbiddenAccess(request.user.name, info.verb, gvr, info.subresource, info.ns, reason));
}

http::Handler WithAuthorization(http::Handler next, AlwaysAllowed always, AuthorizationDeps deps) {
  return [next = std::move(next), always = std::move(always), deps](http::Request& request,
                                                                    http::ResponseWriter& writer) {
    if (always.Allows(request)) {
      if (request.audit != nullptr) request.audit->NoteDecision(true, "");
      return next(request, writer);
    }
    return Serve(next, deps, request, writer);
  };
}

}  // namespace steward::filters
