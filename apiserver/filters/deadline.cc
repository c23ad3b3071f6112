#include "apiserver/filters/deadline.h"

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "apiserver/filters/request/request_info.h"
#include "apiserver/filters/request/status_response.h"
#include "base/clock/time_limit.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::filters {
namespace {

VoidTask Serve(const http::Handler& next, Clock& clock, absl::Duration max, http::Request& request,
               http::ResponseWriter& writer) {
  const absl::StatusOr<absl::Duration> limit = RequestTimeout(request, max);
  if (!limit.ok()) {
    co_await RespondStatus(request, writer, kube::BadRequest(ToStd(limit.status().message())));
    co_return;
  }
  const Ending ending = co_await RunWithin(clock, *limit, next(request, writer));
  if (ending != Ending::kCancelled) co_return;
  log::Warning("A request reached its deadline", {{"verb", request.info.verb},
                                                  {"path", request.path},
                                                  {"limit", absl::FormatDuration(*limit)},
                                                  {"auditID", request.audit_id}});
  if (writer.status() == 0) {
    co_await RespondStatus(
        request, writer, kube::Timeout("request did not complete within the allotted timeout", 0));
  }
}

}  // namespace

absl::StatusOr<absl::Duration> RequestTimeout(const http::Request& request, absl::Duration max) {
  const std::string* text = request.Query("timeout");
  if (text == nullptr || text->empty()) return max;
  absl::Duration timeout;
  if (!absl::ParseDuration(*text, &timeout)) {
    return absl::InvalidArgumentError(
        StrCat("invalid timeout specified in the request URL - time: invalid duration \"",
               absl::Utf8SafeCEscape(*text), "\""));
  }
  return timeout > absl::ZeroDuration() && timeout < max ? timeout : max;
}

http::Handler WithDeadline(http::Handler next, Clock& clock, absl::Duration max) {
  return
      [next = std::move(next), &clock, max](http::Request& request, http::ResponseWriter& writer) {
        if (IsLongRunning(request.info)) return next(request, writer);
        return Serve(next, clock, max, request, writer);
      };
}

}  // namespace steward::filters
