#include "apiserver/filters/authorization/rechecked_writer.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "base/log/log.h"

namespace steward::filters {

RecheckedWriter::RecheckedWriter(http::ResponseWriter& next, const http::Request& request,
                                 Authorizer& authorizer, Clock& clock, Random& random)
    : next_(next),
      request_(request),
      authorizer_(authorizer),
      clock_(clock),
      random_(random),
      decided_(clock.Monotonic()),
      due_(NextDue(decided_)) {}

// The times are spread, because watches begin together when a server starts.
absl::Duration RecheckedWriter::NextDue(absl::Duration now) {
  absl::Duration wait = kPeriod * (0.75 + 0.5 * random_.Uniform());
  const std::optional<absl::Time>& until = request_.user.until;
  if (until) wait = std::min(wait, *until - clock_.Now());
  return now + wait;
}

StatusTask RecheckedWriter::Write(std::vector<http::Segment> segments) {
  if (!refused_ && clock_.Monotonic() < due_) return next_.Write(std::move(segments));
  return RecheckAndWrite(std::move(segments));
}

StatusTask RecheckedWriter::RecheckAndWrite(std::vector<http::Segment> segments) {
  const absl::StatusOr<Decision> decision = co_await authorizer_.Authorize(request_);
  const absl::Duration now = clock_.Monotonic();
  const std::optional<absl::Time>& until = request_.user.until;
  if (until && clock_.Now() >= *until) refused_ = true;
  if (decision.ok()) {
    refused_ = refused_ || !decision->allowed;
    decided_ = now;
    due_ = NextDue(now);
  } else {
    refused_ = refused_ || now - decided_ >= kUndecided;
    due_ = now + kAgain;
  }
  if (!refused_) co_return co_await next_.Write(std::move(segments));
  log::Verbose(2, "A watch ends with its user's rights",
               {{"user", request_.user.name},
                {"auditID", request_.audit_id},
                {"undecided", decision.status()}});
  co_return absl::PermissionDeniedError("the rights to this watch are gone");
}

}  // namespace steward::filters
