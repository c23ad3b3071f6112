#include "apiserver/filters/reviews/review_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include <map>
#include <string>

#include "base/metrics/families.h"

namespace steward::filters {
namespace {

using Labels = std::map<std::string, std::string>;
using Buckets = prometheus::Histogram::BucketBoundaries;

const Buckets& ReviewBuckets() {
  static const Buckets& buckets = *new Buckets{0.25, 0.5, 0.7, 1, 1.5, 3, 5, 10};
  return buckets;
}

}  // namespace

struct ReviewMetrics::Impl {
  Impl(prometheus::Registry& registry, const std::string& prefix)
      : total(CounterFamily(registry, prefix + "_request_total",
                            "Reviews asked of the kube-apiserver, by HTTP status code.")),
        duration(HistogramFamily(registry, prefix + "_request_duration_seconds",
                                 "Seconds until the kube-apiserver answered a review.")) {}
  prometheus::Family<prometheus::Counter>& total;
  prometheus::Family<prometheus::Histogram>& duration;
};

ReviewMetrics::ReviewMetrics(prometheus::Registry& registry, Kind kind)
    : impl_(std::make_unique<Impl>(registry, kind == Kind::kAuthentication
                                                 ? "apiserver_delegated_authn"
                                                 : "apiserver_delegated_authz")) {}
ReviewMetrics::~ReviewMetrics() = default;

void ReviewMetrics::ObserveCall(std::string_view code, absl::Duration duration) {
  const Labels labels{{"code", std::string(code)}};
  impl_->total.Add(labels).Increment();
  impl_->duration.Add(labels, ReviewBuckets()).Observe(absl::ToDoubleSeconds(duration));
}

}  // namespace steward::filters
