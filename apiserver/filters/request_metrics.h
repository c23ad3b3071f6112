// The metrics of Kubernetes' API servers, under their names and labels, so that existing dashboards
// and alerts work. Thread-safe.
#ifndef APISERVER_FILTERS_REQUEST_METRICS_H_
#define APISERVER_FILTERS_REQUEST_METRICS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "base/clock/clock.h"

namespace prometheus {
class Registry;
}

namespace steward::filters {

// A served resource with its subresources. Requests for any other are counted without resource
// labels, so that clients cannot create time series.
struct KnownResource {
  std::string group;
  std::string version;
  std::string resource;
  std::vector<std::string> subresources;
};

// Registers its metrics in the registry, which must outlive it. There are at most kMaxSeries
// combinations of labels. Beyond that, a request with a new combination is counted without resource
// labels.
class RequestMetrics {
 public:
  static constexpr size_t kMaxSeries = 10'000;

  RequestMetrics(prometheus::Registry& registry, const std::vector<KnownResource>& known);
  ~RequestMetrics();

  // Replaces the resources that have labels. The series of a removed resource stay.
  void SetKnownResources(const std::vector<KnownResource>& known);

  // apiserver_request_total, apiserver_request_duration_seconds, apiserver_response_sizes (get and
  // list only). Long-running requests have no duration.
  void ObserveRequest(const http::Request& request, int code, absl::Duration duration,
                      uint64_t bytes);
  // apiserver_request_aborts_total: the client left before the response ended.
  void ObserveAbort(const http::Request& request);
  // apiserver_current_inflight_requests{request_kind=mutating|readOnly}
  void AddInFlight(bool mutating, int change);
  // apiserver_longrunning_requests: the request counts until the returned object is destroyed.
  [[nodiscard]] std::shared_ptr<const void> CountLongRunning(const http::Request& request);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Measures every request. `metrics` and `clock` outlive the handler.
http::Handler WithMetrics(http::Handler next, RequestMetrics& metrics, Clock& clock);

// The registry's metrics and the process's own in Prometheus' text format 0.0.4. `registry`
// outlives the handler.
http::Handler MetricsHandler(const prometheus::Registry& registry);

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_REQUEST_METRICS_H_
