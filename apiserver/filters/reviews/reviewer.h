// The client for reviews by the kube-apiserver, with retries and fair queues. Thread-safe.
#ifndef APISERVER_FILTERS_REVIEWS_REVIEWER_H_
#define APISERVER_FILTERS_REVIEWS_REVIEWER_H_

#include <boost/json/value.hpp>
#include <string>

#include "absl/time/time.h"
#include "apiserver/filters/fairness/flow.h"
#include "apiserver/filters/reviews/review_metrics.h"
#include "base/clock/clock.h"
#include "base/fairness/fair_places.h"
#include "base/fairness/pool_metrics.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::filters {

struct ReviewerOptions {
  absl::Duration call_timeout = absl::Seconds(10);
  int attempts = 5;
  absl::Duration first_delay = absl::Milliseconds(500);
  double delay_factor = 1.5;
  // Limits of the reviews under way, of users and of strangers; a review between two attempts
  // counts. Together they must not exceed the client's connections, because reviews get connections
  // in the order of arrival, without fairness.
  size_t places = 48;
  size_t stranger_places = 16;
  // The number of waiting reviews for each place; one flow may have half of them.
  size_t waiting_per_place = 40;
  absl::Duration max_wait = absl::Seconds(5);
};

// The origin of a review.
struct ReviewOrigin {
  Flow flow;                // the flow whose turn it takes
  std::string traceparent;  // of the request; "" = no trace
};

// Borrows its dependencies.
class Reviewer {
 public:
  // `name` is the name of its pool in `pools`; that of strangers is "<name>-strangers".
  Reviewer(kube::Client& client, Clock& clock, Random& random, ReviewMetrics& metrics,
           PoolMetrics& pools, const std::string& name, ReviewerOptions options = {});

  // Creates `review` and returns the server's answer. Repeats the call after the answers 429 and
  // 5xx and after a failure to connect, but not after `call_timeout`. Flows get their turns fairly.
  // Beyond the limits of ReviewerOptions, returns Overloaded() without a call, so that no client
  // can overload the kube-apiserver through this server.
  Task<boost::json::value> Review(ReviewOrigin origin, kube::GroupVersionResource gvr,
                                  boost::json::value review);

  static kube::Status Overloaded();  // 429

 private:
  Task<boost::json::value> Attempt(const kube::GroupVersionResource& gvr,
                                   const boost::json::value& review,
                                   const kube::WriteOptions& options);

  kube::Client& client_;
  Clock& clock_;
  Random& random_;
  ReviewMetrics& metrics_;
  const ReviewerOptions options_;
  FairPlaces users_;
  FairPlaces strangers_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REVIEWS_REVIEWER_H_
