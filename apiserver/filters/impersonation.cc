#include "apiserver/filters/impersonation.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "apiserver/filters/request/status_response.h"
#include "kube/meta/status.h"

namespace steward::filters {
namespace {

bool AsksForImpersonation(const http::Headers& headers) {
  return std::any_of(headers.fields().begin(), headers.fields().end(), [](const auto& field) {
    return absl::StartsWithIgnoreCase(field.first, "Impersonate-");
  });
}

kube::Status Refusal() {
  return kube::ForbiddenBecause(
      "forbidden: this server does not impersonate: send Impersonate-* headers to the "
      "kube-apiserver, which resolves them before it forwards the request");
}

}  // namespace

http::Handler WithoutImpersonation(http::Handler next) {
  return [next = std::move(next)](http::Request& request, http::ResponseWriter& writer) {
    if (AsksForImpersonation(request.headers)) return RespondStatus(request, writer, Refusal());
    return next(request, writer);
  };
}

}  // namespace steward::filters
