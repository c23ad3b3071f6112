#include "apiserver/filters/read_body.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "apiserver/filters/request/status_response.h"
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

VoidTask Serve(const http::Handler& next, size_t max_bytes, http::Request& request,
               http::ResponseWriter& writer) {
  absl::StatusOr<std::string> body = co_await request.incoming->Read(max_bytes);
  if (!body.ok()) {
    co_await RespondStatus(request, writer, Refusal(body.status(), max_bytes));
    co_return;
  }
  request.incoming = nullptr;
  request.body = *std::move(body);
  co_await next(request, writer);
}

}  // namespace

http::Handler WithBody(http::Handler next, size_t max_bytes) {
  return [next = std::move(next), max_bytes](http::Request& request, http::ResponseWriter& writer) {
    if (request.incoming == nullptr || !TakesBody(request.info)) return next(request, writer);
    return Serve(next, max_bytes, request, writer);
  };
}

}  // namespace steward::filters
