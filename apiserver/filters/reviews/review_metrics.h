// Metrics of the kube-apiserver's answers to this server's reviews. Thread-safe.
#ifndef APISERVER_FILTERS_REVIEWS_REVIEW_METRICS_H_
#define APISERVER_FILTERS_REVIEWS_REVIEW_METRICS_H_

#include <memory>
#include <string_view>

#include "absl/time/time.h"

namespace prometheus {
class Registry;
}

namespace steward::filters {

// apiserver_delegated_{authn,authz}_request_total{code} and ..._duration_seconds{code}.
class ReviewMetrics {
 public:
  enum class Kind { kAuthentication, kAuthorization };
  ReviewMetrics(prometheus::Registry& registry, Kind kind);
  ~ReviewMetrics();

  // `code` is the HTTP status of the answer, or "<error>" when there was none.
  void ObserveCall(std::string_view code, absl::Duration duration);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REVIEWS_REVIEW_METRICS_H_
