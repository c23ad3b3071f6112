#include "apiserver/filters/request_metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/metric_family.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "apiserver/filters/request/request_info.h"
#include "base/metrics/families.h"
#include "base/metrics/process_metrics.h"
#include "base/sync/mutex.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::filters {
namespace {

using Labels = std::map<std::string, std::string>;
using Buckets = prometheus::Histogram::BucketBoundaries;

const Buckets& DurationBuckets() {
  static const Buckets& buckets =
      *new Buckets{0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1,  1.25, 1.5, 2,
                   3,     4,     5,    6,   8,   10,  15,  20,  30, 45,   60};
  return buckets;
}

const Buckets& SizeBuckets() {
  static const Buckets& buckets = *new Buckets{1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
  return buckets;
}

std::string_view ScopeLabel(const http::RequestInfo& info) {
  if (!info.name.empty() || info.verb == "create") return "resource";
  if (!info.ns.empty()) return "namespace";
  return info.is_resource ? "cluster" : "";
}

std::string_view VerbLabel(const http::Request& request) {
  const http::RequestInfo& info = request.info;
  if (IsLongRunning(info)) return "WATCH";
  if (info.is_resource && info.verb == "list") return "LIST";
  if (info.is_resource && info.verb == "deletecollection") return "DELETECOLLECTION";
  if (request.method == "GET" || request.method == "HEAD") return "GET";
  static constexpr std::string_view kMethods[] = {"POST",   "PUT",     "PATCH",
                                                  "DELETE", "OPTIONS", "CONNECT"};
  const auto* known = std::find(std::begin(kMethods), std::end(kMethods), request.method);
  return known != std::end(kMethods) ? *known : std::string_view("other");
}

// The labels of one request's series, besides the code.
struct SeriesName {
  std::string_view verb;
  std::string_view group;
  std::string_view version;
  std::string_view resource;
  std::string_view subresource;
  std::string_view scope;

  std::string Key() const {
    return StrCat(verb, "\n", group, "\n", version, "\n", resource, "\n", subresource, "\n", scope);
  }
  Labels ToLabels() const {
    return {{"verb", std::string(verb)},
            {"group", std::string(group)},
            {"version", std::string(version)},
            {"resource", std::string(resource)},
            {"subresource", std::string(subresource)},
            {"scope", std::string(scope)},
            {"component", "apiserver"}};
  }
};

Labels WithoutComponent(Labels labels) {
  labels.erase("component");
  return labels;
}

Labels With(Labels labels, const std::string& key, std::string value) {
  labels.emplace(key, std::move(value));
  return labels;
}

// Pointers into the families, which never remove a series.
struct Series {
  Labels labels;
  prometheus::Histogram* duration = nullptr;
  prometheus::Histogram* size = nullptr;
  prometheus::Gauge* long_running = nullptr;
  prometheus::Counter* aborts = nullptr;
  absl::flat_hash_map<int, prometheus::Counter*> by_code;
};

}  // namespace

struct RequestMetrics::Impl {
  explicit Impl(prometheus::Registry& registry)
      : requests(
            CounterFamily(registry, "apiserver_request_total",
                          "Requests by verb, dry run value, group, version, resource, scope and "
                          "HTTP response code.")),
        durations(HistogramFamily(registry, "apiserver_request_duration_seconds",
                                  "Response time in seconds of ordinary requests.")),
        sizes(HistogramFamily(registry, "apiserver_response_sizes",
                              "Bytes of the bodies of get and list responses.")),
        long_running(
            GaugeFamily(registry, "apiserver_longrunning_requests",
                        "Long-running requests, watches above all, that are being served.")),
        aborts(CounterFamily(registry, "apiserver_request_aborts_total",
                             "Requests whose client went away before the response ended.")),
        in_flight(GaugeFamily(registry, "apiserver_current_inflight_requests",
                              "Ordinary requests that are being served, by kind.")),
        mutating(in_flight.Add({{"request_kind", "mutating"}})),
        read_only(in_flight.Add({{"request_kind", "readOnly"}})) {}

  SeriesName NameOf(const http::Request& request) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    SeriesName name;
    name.verb = VerbLabel(request);
    const http::RequestInfo& info = request.info;
    if (!info.is_resource) return name;
    name.scope = ScopeLabel(info);
    const auto found = known.find({info.group, info.version, info.resource});
    if (found == known.end()) return name;
    name.group = info.group;
    name.version = info.version;
    name.resource = info.resource;
    if (found->second.contains(info.subresource)) name.subresource = info.subresource;
    return name;
  }

  Series& SeriesOf(SeriesName name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex) {
    if (series.size() >= kMaxSeries && !series.contains(name.Key())) {
      name = {name.verb, "", "", "", "", name.scope};
    }
    std::unique_ptr<Series>& slot = series[name.Key()];
    if (slot == nullptr) {
      slot = std::make_unique<Series>();
      slot->labels = name.ToLabels();
    }
    return *slot;
  }

  prometheus::Family<prometheus::Counter>& requests;
  prometheus::Family<prometheus::Histogram>& durations;
  prometheus::Family<prometheus::Histogram>& sizes;
  prometheus::Family<prometheus::Gauge>& long_running;
  prometheus::Family<prometheus::Counter>& aborts;
  prometheus::Family<prometheus::Gauge>& in_flight;
  prometheus::Gauge& mutating;
  prometheus::Gauge& read_only;
  Mutex mutex;
  // The subresources of each resource.
  std::map<kube::GroupVersionResource, std::set<std::string>> known ABSL_GUARDED_BY(mutex);
  // At most kMaxSeries, plus those of verbs and scopes alone.
  absl::flat_hash_map<std::string, std::unique_ptr<Series>> series ABSL_GUARDED_BY(mutex);
};

RequestMetrics::RequestMetrics(prometheus::Registry& registry,
                               const std::vector<KnownResource>& known)
    : impl_(std::make_unique<Impl>(registry)) {
  SetKnownResources(known);
}
RequestMetrics::~RequestMetrics() = default;

void RequestMetrics::SetKnownResources(const std::vector<KnownResource>& known) {
  std::map<kube::GroupVersionResource, std::set<std::string>> by_name;
  for (const KnownResource& resource : known) {
    by_name[{resource.group, resource.version, resource.resource}] = {resource.subresources.begin(),
                                                                      resource.subresources.end()};
  }
  MutexLock lock(&impl_->mutex);
  impl_->known.swap(by_name);
}

void RequestMetrics::ObserveRequest(const http::Request& request, int code, absl::Duration duration,
                                    uint64_t bytes) {
  const bool long_running = IsLongRunning(request.info);
  MutexLock lock(&impl_->mutex);
  const SeriesName name = impl_->NameOf(request);
  const bool has_size = name.verb == "GET" || name.verb == "LIST";
  Series& series = impl_->SeriesOf(name);
  prometheus::Counter*& counter = series.by_code[code];
  if (counter == nullptr) {
    Labels labels = With(series.labels, "dry_run", "");
    counter = &impl_->requests.Add(With(std::move(labels), "code", StrCat(code)));
  }
  counter->Increment();
  if (!long_running) {
    if (series.duration == nullptr) {
      series.duration =
          &impl_->durations.Add(With(series.labels, "dry_run", ""), DurationBuckets());
    }
    series.duration->Observe(absl::ToDoubleSeconds(duration));
  }
  if (has_size) {
    if (series.size == nullptr) series.size = &impl_->sizes.Add(series.labels, SizeBuckets());
    series.size->Observe(static_cast<double>(bytes));
  }
}

void RequestMetrics::ObserveAbort(const http::Request& request) {
  MutexLock lock(&impl_->mutex);
  Series& series = impl_->SeriesOf(impl_->NameOf(request));
  if (series.aborts == nullptr) {
    series.aborts = &impl_->aborts.Add(WithoutComponent(series.labels));
  }
  series.aborts->Increment();
}

void RequestMetrics::AddInFlight(bool mutating, int change) {
  (mutating ? impl_->mutating : impl_->read_only).Increment(change);
}

std::shared_ptr<const void> RequestMetrics::CountLongRunning(const http::Request& request) {
  MutexLock lock(&impl_->mutex);
  Series& series = impl_->SeriesOf(impl_->NameOf(request));
  if (series.long_running == nullptr) {
    series.long_running = &impl_->long_running.Add(series.labels);
  }
  series.long_running->Increment();
  // The answer decrements the same gauge, even if the resource is no longer known then.
  return std::shared_ptr<prometheus::Gauge>(series.long_running,
                                            [](prometheus::Gauge* gauge) { gauge->Decrement(); });
}

namespace {

// Counts a request when it is over, however it ends.
class Measurement {
 public:
  Measurement(RequestMetrics& metrics, Clock& clock, const http::Request& request,
              const http::ResponseWriter& writer)
      : metrics_(metrics),
        clock_(clock),
        request_(request),
        writer_(writer),
        start_(clock.Now()),
        running_(IsLongRunning(request.info) ? metrics.CountLongRunning(request) : nullptr) {}
  ~Measurement() {
    if (!ended_) metrics_.ObserveAbort(request_);
    if (writer_.status() != 0) {
      metrics_.ObserveRequest(request_, writer_.status(), clock_.Now() - start_,
                              writer_.bytes_written());
    }
  }
  Measurement(const Measurement&) = delete;
  Measurement& operator=(const Measurement&) = delete;
  void End() { ended_ = true; }

 private:
  RequestMetrics& metrics_;
  Clock& clock_;
  const http::Request& request_;
  const http::ResponseWriter& writer_;
  const absl::Time start_;
  const std::shared_ptr<const void> running_;
  bool ended_ = false;
};

VoidTask Measure(const http::Handler& next, RequestMetrics& metrics, Clock& clock,
                 http::Request& request, http::ResponseWriter& writer) {
  Measurement measurement(metrics, clock, request, writer);
  co_await next(request, writer);
  measurement.End();
}

VoidTask ServeMetrics(const prometheus::Registry& registry, http::ResponseWriter& writer) {
  std::vector<prometheus::MetricFamily> families = registry.Collect();
  std::vector<prometheus::MetricFamily> process = CollectProcessMetrics();
  std::move(process.begin(), process.end(), std::back_inserter(families));
  std::string text = prometheus::TextSerializer().Serialize(families);
  const absl::Status sent = co_await http::Respond(
      writer, 200, "text/plain; version=0.0.4; charset=utf-8", std::move(text));
  sent.IgnoreError();  // the client may be gone
}

}  // namespace

http::Handler WithMetrics(http::Handler next, RequestMetrics& metrics, Clock& clock) {
  return [next = std::move(next), &metrics, &clock](http::Request& request,
                                                    http::ResponseWriter& writer) {
    return Measure(next, metrics, clock, request, writer);
  };
}

http::Handler MetricsHandler(const prometheus::Registry& registry) {
  return [&registry](http::Request&, http::ResponseWriter& writer) {
    return ServeMetrics(registry, writer);
  };
}

}  // namespace steward::filters
