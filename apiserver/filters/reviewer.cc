#include "apiserver/filters/reviewer.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/async/backoff.h"
#include "base/clock/time_limit.h"

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
  // Without a reason it is not an answer but a failure to get one.
  if (status.reason.empty() || !kube::HasReason(answer.status(), status.reason)) return "<error>";
  return absl::StrCat(status.code);
}

}  // namespace

// Counts a review while it is under way.
class Reviewer::Running {
 public:
  explicit Running(std::atomic<int>& count)
      : count_(count), before_(count_.fetch_add(1, std::memory_order_relaxed)) {}
  ~Running() { count_.fetch_sub(1, std::memory_order_relaxed); }
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;
  int before() const { return before_; }

 private:
  std::atomic<int>& count_;
  const int before_;
};

kube::Status Reviewer::Overloaded() {
  return kube::TooManyRequests("too many reviews are under way, please try again later", 1);
}

Task<boost::json::value> Reviewer::Attempt(const kube::GroupVersionResource& gvr,
                                           const boost::json::value& review) {
  const absl::Time start = clock_.Now();
  const std::string cluster_scoped;
  const kube::WriteOptions options;
  absl::StatusOr<boost::json::value> answer =
      co_await WithTimeout(clock_, options_.call_timeout, "the review",
                           client_.Create(gvr, cluster_scoped, review, options));
  metrics_.ObserveCall(CodeLabel(answer), clock_.Now() - start);
  co_return answer;
}

Task<boost::json::value> Reviewer::Review(kube::GroupVersionResource gvr,
                                          boost::json::value review) {
  const Running running(running_);
  if (running.before() >= options_.max_running) co_return kube::ToStatus(Overloaded());
  Backoff backoff({.initial = options_.first_delay,
                   .max = absl::Seconds(30),
                   .factor = options_.delay_factor,
                   .jitter = 0.2},
                  random_);
  for (int attempt = 1;; ++attempt) {
    absl::StatusOr<boost::json::value> answer = co_await Attempt(gvr, review);
    if (answer.ok() || attempt >= options_.attempts || !IsWorthRetrying(answer.status())) {
      co_return answer;
    }
    co_await clock_.Sleep(backoff.Next());
  }
}

}  // namespace steward::filters
