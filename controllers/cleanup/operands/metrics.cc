#include "controllers/cleanup/operands/metrics.h"

#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>

#include <map>
#include <utility>

#include "base/json/utf8.h"
#include "base/metrics/families.h"

namespace steward::controllers {
namespace {

using prometheus::Counter;
using prometheus::Family;
using prometheus::Gauge;
// The limit of the operator's text in a metric.
constexpr size_t kMessageText = 200;

using Labels = std::map<std::string, std::string>;

}  // namespace

struct CleanupMetrics::Impl {
  explicit Impl(prometheus::Registry& registry)
      : pending(GaugeFamily(registry, "steward_cleanup_pending_operands",
                            "Custom resources that an uninstallation waits for")),
        stalled(GaugeFamily(registry, "steward_cleanup_stalled",
                            "1 for an uninstallation whose cleanup makes no progress")),
        oldest(GaugeFamily(registry, "steward_cleanup_oldest_operand_deleted_seconds",
                           "When the custom resources waited for longest were deleted, Unix time")),
        polled(GaugeFamily(registry, "steward_cleanup_polled",
                           "1 for an uninstallation that waits without a watch that works")),
        watches(GaugeFamily(registry, "steward_cleanup_operand_watches",
                            "Watches of custom resources that uninstallations wait for")
                    .Add({})),
        sweep_failing(GaugeFamily(registry, "steward_cleanup_sweep_failing",
                                  "1 while the last sweep of operators' rights failed in part")
                          .Add({})),
        unconfirmed(GaugeFamily(registry, "steward_cleanup_unconfirmed_opt_ins",
                                "Operators whose opt-in to cleanup does not count")
                        .Add({})),
        reported(GaugeFamily(registry, "steward_cleanup_reported_failure",
                             "1 for an uninstallation that its operator says it cannot finish")),
        deletions(CounterFamily(registry, "steward_cleanup_deletions_total",
                                "Requests to delete custom resources")),
        finished(CounterFamily(registry, "steward_cleanup_finished_total",
                               "Uninstallations whose cleanup ended")),
        copies(GaugeFamily(registry, "steward_cleanup_copies_known",
                           "1 while all copied ClusterServiceVersions are known")
                   .Add({})),
        guards(HistogramFamily(registry, "steward_cleanup_guard_read_seconds",
                               "Time that reading the guards of a cleanup took")
                   .Add({}, prometheus::Histogram::BucketBoundaries{0.01, 0.025, 0.05, 0.1, 0.2,
                                                                    0.5, 1, 2, 5, 10})) {}

  struct Series {
    Gauge* pending = nullptr;
    Gauge* stalled = nullptr;
    std::vector<Gauge*> oldest;
    Gauge* polled = nullptr;
    std::string polled_reason;
    Gauge* reported = nullptr;
  };

  void DropReported(Series& one) {
    if (one.reported != nullptr) reported.Remove(one.reported);
    one.reported = nullptr;
  }

  void DropStalled(Series& one) {
    if (one.stalled != nullptr) stalled.Remove(one.stalled);
    one.stalled = nullptr;
    for (Gauge* gauge : one.oldest) oldest.Remove(gauge);
    one.oldest.clear();
  }

  Family<Gauge>& pending;
  Family<Gauge>& stalled;
  Family<Gauge>& oldest;
  Family<Gauge>& polled;
  Gauge& watches;
  Gauge& sweep_failing;
  Gauge& unconfirmed;
  Family<Gauge>& reported;
  Family<Counter>& deletions;
  Family<Counter>& finished;
  Gauge& copies;
  prometheus::Histogram& guards;
  std::map<kube::NamespacedName, Series> series;
};

CleanupMetrics::CleanupMetrics(prometheus::Registry& registry)
    : impl_(std::make_unique<Impl>(registry)) {}

CleanupMetrics::~CleanupMetrics() { ForgetAll(); }

void CleanupMetrics::ForgetAll() {
  SetSweepFailing(false);
  while (!impl_->series.empty()) Forget(kube::NamespacedName(impl_->series.begin()->first));
  SetUnconfirmedOptIns(0);
}

void CleanupMetrics::SetPending(const kube::NamespacedName& csv, size_t count) {
  Impl::Series& one = impl_->series[csv];
  if (one.pending == nullptr) {
    one.pending = &impl_->pending.Add({{"namespace", csv.ns}, {"name", csv.name}});
  }
  one.pending->Set(static_cast<double>(count));
}

void CleanupMetrics::SetStalled(const kube::NamespacedName& csv, const std::string& reason,
                                const std::vector<OldestOperand>& oldest) {
  Impl::Series& one = impl_->series[csv];
  impl_->DropStalled(one);
  if (reason.empty()) return;
  one.stalled =
      &impl_->stalled.Add({{"namespace", csv.ns}, {"name", csv.name}, {"reason", reason}});
  one.stalled->Set(1);
  for (const OldestOperand& operand : oldest) {
    const Labels labels = {{"namespace", csv.ns},          {"name", csv.name},
                           {"resource", operand.resource}, {"operand_namespace", operand.name.ns},
                           {"operand", operand.name.name}, {"finalizers", operand.finalizers}};
    one.oldest.push_back(&impl_->oldest.Add(labels));
    one.oldest.back()->Set(operand.deleted_at);
  }
}

void CleanupMetrics::SetPolled(const kube::NamespacedName& csv, const std::string& reason) {
  const auto found = impl_->series.find(csv);
  if (reason.empty() && found == impl_->series.end()) return;
  Impl::Series& one = impl_->series[csv];
  if (one.polled_reason == reason) return;
  if (one.polled != nullptr) impl_->polled.Remove(one.polled);
  one.polled = nullptr;
  one.polled_reason = reason;
  if (reason.empty()) return;
  one.polled = &impl_->polled.Add({{"namespace", csv.ns}, {"name", csv.name}, {"reason", reason}});
  one.polled->Set(1);
}

void CleanupMetrics::SetOperandWatches(size_t streams) {
  impl_->watches.Set(static_cast<double>(streams));
}

void CleanupMetrics::SetSweepFailing(bool failing) { impl_->sweep_failing.Set(failing ? 1 : 0); }

void CleanupMetrics::SetUnconfirmedOptIns(size_t count) {
  impl_->unconfirmed.Set(static_cast<double>(count));
}

void CleanupMetrics::SetReported(const kube::NamespacedName& csv, const std::string& message) {
  Impl::Series& one = impl_->series[csv];
  impl_->DropReported(one);
  if (message.empty()) return;
  one.reported = &impl_->reported.Add({{"namespace", csv.ns},
                                       {"name", csv.name},
                                       {"message", std::string(CutUtf8(message, kMessageText))}});
  one.reported->Set(1);
}

void CleanupMetrics::Forget(const kube::NamespacedName& csv) {
  const auto found = impl_->series.find(csv);
  if (found == impl_->series.end()) return;
  impl_->DropStalled(found->second);
  if (found->second.polled != nullptr) impl_->polled.Remove(found->second.polled);
  impl_->DropReported(found->second);
  if (found->second.pending != nullptr) impl_->pending.Remove(found->second.pending);
  impl_->series.erase(found);
}

void CleanupMetrics::SetCopiesKnown(bool known) { impl_->copies.Set(known ? 1 : 0); }

void CleanupMetrics::ObserveGuards(absl::Duration took) {
  impl_->guards.Observe(absl::ToDoubleSeconds(took));
}

void CleanupMetrics::CountDeletions(size_t accepted, size_t denied, size_t other) {
  const auto count = [this](const char* result, size_t number) {
    if (number > 0) {
      impl_->deletions.Add({{"result", result}}).Increment(static_cast<double>(number));
    }
  };
  count("accepted", accepted);
  count("denied", denied);
  count("other", other);
}

void CleanupMetrics::CountFinished(const std::string& result) {
  impl_->finished.Add({{"result", result}}).Increment();
}

}  // namespace steward::controllers
