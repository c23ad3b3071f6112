#include "apiserver/filters/reviews/reviewer.h"

#include <string>
#include <utility>

#include "base/async/backoff.h"
#include "base/clock/time_limit.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"

namespace steward::filters {
namespace {

bool IsWorthRetrying(const absl::Status& status) {
  if (absl::IsDeadlineExceeded(status)) return false;
  const int code = kube::FromStatus(status).code;
  return code == 429 || code >= 500;
}

std::string CodeLabel(const absl::StatusOr<boost::json::value>& answer) {
  if (answer.ok()) return "201";
  const kube::Status status = kube::FromStatus(answer.status());
  // A Status without a reason was made by the client, because it got no answer.
  if (status.reason.empty() || !kube::IsAnswer(answer.status())) return "<error>";
  return StrCat(status.code);
}

FairPool::Limits LimitsOf(size_t places, const ReviewerOptions& options) {
  const size_t waiting = places * options.waiting_per_place;
  return {
      .places = places, .waiting_per_flow = (waiting + 1) / 2, .waiting = waiting, .reserve = true};
}

}  // namespace

Reviewer::Reviewer(kube::Client& client, Clock& clock, Random& random, ReviewMetrics& metrics,
                   PoolMetrics& pools, const std::string& name, ReviewerOptions options)
    : client_(client),
      clock_(clock),
      random_(random),
      metrics_(metrics),
      options_(options),
      users_(clock, LimitsOf(options.places, options), pools.Of(name)),
      strangers_(clock, LimitsOf(options.stranger_places, options),
                 pools.Of(StrCat(name, "-strangers"))) {}

kube::Status Reviewer::Overloaded() {
  return kube::TooManyRequests("too many reviews are under way, please try again later", 1);
}

Task<boost::json::value> Reviewer::Attempt(const kube::GroupVersionResource& gvr,
                                           const boost::json::value& review,
                                           const kube::WriteOptions& options) {
  const absl::Time start = clock_.Now();
  const std::string cluster_scoped;
  absl::StatusOr<boost::json::value> answer =
      co_await WithTimeout(clock_, options_.call_timeout, "the review",
                           client_.Create(gvr, cluster_scoped, review, options));
  metrics_.ObserveCall(CodeLabel(answer), clock_.Now() - start);
  co_return answer;
}

Task<boost::json::value> Reviewer::Review(ReviewOrigin origin, kube::GroupVersionResource gvr,
                                          boost::json::value review) {
  FairPlaces& places = origin.flow.stranger ? strangers_ : users_;
  const FairPlaces::Place place =
      co_await places.Take(std::move(origin.flow.name), options_.max_wait);
  if (!place) co_return kube::ToStatus(Overloaded());
  kube::WriteOptions options;
  options.traceparent = std::move(origin.traceparent);
  Backoff backoff({.initial = options_.first_delay,
                   .max = absl::Seconds(30),
                   .factor = options_.delay_factor,
                   .jitter = 0.2},
                  random_);
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<boost::json::value> answer = co_await Attempt(gvr, review, options);
    if (answer.ok() || attempt >= options_.attempts || !IsWorthRetrying(answer.status())) {
      co_return answer;
    }
    co_await clock_.Sleep(backoff.Next());
  }
}

}  // namespace steward::filters
