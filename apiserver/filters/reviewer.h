// Asks the kube-apiserver for a review, patiently.
#ifndef APISERVER_FILTERS_REVIEWER_H_
#define APISERVER_FILTERS_REVIEWER_H_

#include <atomic>
#include <boost/json/value.hpp>

#include "absl/time/time.h"
#include "apiserver/filters/review_metrics.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::filters {

struct ReviewerOptions {
  absl::Duration call_timeout = absl::Seconds(10);
  int attempts = 5;
  absl::Duration first_delay = absl::Milliseconds(500);
  double delay_factor = 1.5;
  // Reviews under way, those between two attempts included.
  int max_running = 500;
};

// Thread-safe. Borrows its dependencies.
class Reviewer {
 public:
  Reviewer(kube::Client& client, Clock& clock, Random& random, ReviewMetrics& metrics,
           ReviewerOptions options = {})
      : client_(client), clock_(clock), random_(random), metrics_(metrics), options_(options) {}

  // Creates `review` and returns the server's answer. Answers 429 and 5xx and failures to connect
  // are tried again; a call that reaches its time limit is not. Above max_running nothing is asked,
  // so that strangers with made-up tokens cannot turn this server against the kube-apiserver: the
  // error then carries Overloaded().
  Task<boost::json::value> Review(kube::GroupVersionResource gvr, boost::json::value review);

  static kube::Status Overloaded();  // 429

 private:
  class Running;
  Task<boost::json::value> Attempt(const kube::GroupVersionResource& gvr,
                                   const boost::json::value& review);

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  ReviewMetrics& metrics_;
  const ReviewerOptions options_;
  std::atomic<int> running_{0};
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REVIEWER_H_
