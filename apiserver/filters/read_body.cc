#include "apiserver/filters/read_body.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "apiserver/filters/request/status_response.h"
#include "base/fairness/user_quota.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::filters {
namespace {

bool TakesBody(const http::RequestInfo& info) {
  if (!info.is_resource) return false;
  return info.verb == "create" || info.verb == "update" || info.verb == "patch" ||
         info.verb == "delete" || info.verb == "deletecollection";
}

kube::Status Refusal(const absl::Status& error, size_t max_bytes) {
  if (absl::IsOutOfRange(error)) return kube::RequestEntityTooLarge(max_bytes);
  if (absl::IsInvalidArgument(error)) return kube::BadRequest(ToStd(error.message()));
  return kube::ServiceUnavailable(ToStd(error.message()), 1);
}

struct State {
  State(http::Handler n, BodyLimits l)
      : next(std::move(n)), limits(std::move(l)), large({.all = limits.max_large}) {}

  const http::Handler next;
  const BodyLimits limits;
  UserQuota large;

  size_t MaxBytes(const http::RequestInfo& info) const {
    if (info.verb != "create" || !info.subresource.empty()) return limits.max_bytes;
    const auto larger = limits.creates.find({info.group, info.resource});
    if (larger == limits.creates.end()) return limits.max_bytes;
    return std::max(limits.max_bytes, larger->second);
  }
};

VoidTask ServeLarge(State& state, http::Request& request, http::ResponseWriter& writer) {
  const std::optional<UserQuota::Slot> place = state.large.Take(request.user.name);
  if (!place) {
    co_await RespondStatus(request, writer,
                           kube::TooManyRequests("too many large requests at a time", 1));
    co_return;
  }
  co_await state.next(request, writer);
}

VoidTask Serve(std::shared_ptr<State> state, http::Request& request, http::ResponseWriter& writer) {
  const size_t max_bytes = state->MaxBytes(request.info);
  absl::StatusOr<std::string> body = co_await request.incoming->Read(max_bytes);
  if (!body.ok()) {
    co_await RespondStatus(request, writer, Refusal(body.status(), max_bytes));
    co_return;
  }
  request.incoming = nullptr;
  request.body = *std::move(body);
  if (request.body.size() > state->limits.max_bytes) {
    co_await ServeLarge(*state, request, writer);
    co_return;
  }
  co_await state->next(request, writer);
}

}  // namespace

http::Handler WithBody(http::Handler next, BodyLimits limits) {
  const auto state = std::make_shared<State>(std::move(next), std::move(limits));
  return [state](http::Request& request, http::ResponseWriter& writer) {
    if (request.incoming == nullptr || !TakesBody(request.info)) {
      return state->next(request, writer);
    }
    return Serve(state, request, writer);
  };
}

}  // namespace steward::filters
