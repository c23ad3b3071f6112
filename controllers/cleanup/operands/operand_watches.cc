#include "controllers/cleanup/operands/operand_watches.h"

#include <utility>

#include "base/log/log.h"
#include "olm/cleanup/target_set.h"

namespace steward::controllers {

OperandWatches::OperandWatches(MetadataWatches& metadata, Clock& clock, CleanupMetrics& metrics,
                               Wake wake, OperandWatchesOptions options)
    : metadata_(metadata),
      clock_(clock),
      metrics_(metrics),
      wake_(std::move(wake)),
      options_(options) {}

OperandWatches::~OperandWatches() {
  while (!cleanups_.empty()) Stop(kube::NamespacedName(cleanups_.begin()->first));
}

OperandWatches::Scope OperandWatches::ScopeOf(const OperandsOfCrd& operands) {
  Scope scope{operands.gvr, std::nullopt};
  const olm::CrdPlan& plan = operands.plan;
  if (plan.cluster_scoped || plan.targets.all() || plan.drain.all()) return scope;
  scope.namespaces.emplace(plan.targets.names().begin(), plan.targets.names().end());
  scope.namespaces->insert(plan.drain.names().begin(), plan.drain.names().end());
  return scope;
}

bool OperandWatches::Follow(const kube::NamespacedName& csv, const OperandListing& listing,
                            absl::Duration delay) {
  Cleanup& cleanup = cleanups_[csv];
  cleanup.delay = delay;
  std::set<Scope> wanted;
  for (const OperandsOfCrd& operands : listing.crds) {
    if (!operands.pending.empty()) wanted.insert(ScopeOf(operands));
  }
  CloseOthers(cleanup, wanted);
  std::string why_not;
  for (const Scope& scope : wanted) {
    Followed& followed = cleanup.followed[scope];
    if (followed.watch == nullptr) Open(csv, scope, followed);
    if (followed.watch == nullptr && !followed.not_before.has_value()) {
      why_not = kTooManyWatches;
    } else if (!IsWell(scope, followed) && why_not.empty()) {
      why_not = followed.watch == nullptr ? kWatchFailed : kWatchStarting;
    }
  }
  metrics_.SetPolled(csv, why_not);
  // No event of custom resources shows that their definition is gone, so the caller must poll for
  // that.
  return why_not.empty() && listing.terminating_crds.empty();
}

void OperandWatches::Stop(const kube::NamespacedName& csv) {
  const auto found = cleanups_.find(csv);
  if (found == cleanups_.end()) return;
  CloseOthers(found->second, {});
  cleanups_.erase(found);
  metrics_.SetPolled(csv, "");
}

void OperandWatches::CloseOthers(Cleanup& cleanup, const std::set<Scope>& wanted) {
  for (auto it = cleanup.followed.begin(); it != cleanup.followed.end();) {
    if (wanted.contains(it->first)) {
      ++it;
      continue;
    }
    Close(it->second);
    it = cleanup.followed.erase(it);
  }
}

void OperandWatches::Open(const kube::NamespacedName& csv, const Scope& scope, Followed& followed) {
  if (followed.not_before.has_value() && clock_.Monotonic() < *followed.not_before) return;
  MetadataSelection selection;
  selection.gvr = scope.gvr;
  selection.namespaces = scope.namespaces;
  selection.hold = false;
  const size_t streams = metadata_.StreamsOf(selection);
  followed.not_before.reset();
  followed.unwell_since.reset();
  if (streams_ + streams > options_.max_streams) return;
  MetadataCallbacks callbacks;
  const auto wake = [this, csv] {
    const auto found = cleanups_.find(csv);
    if (found != cleanups_.end()) wake_(csv, found->second.delay);
  };
  callbacks.changed = [wake](const kube::NamespacedName&) { wake(); };
  // Wake after the first list, too, to find changes from before the watch began.
  callbacks.synced = wake;
  followed.watch = metadata_.Open(std::move(selection), std::move(callbacks));
  streams_ += streams;
  metrics_.SetOperandWatches(streams_);
}

void OperandWatches::Close(Followed& followed) {
  if (followed.watch == nullptr) return;
  streams_ -= followed.watch->streams();
  followed.watch = nullptr;
  metrics_.SetOperandWatches(streams_);
}

bool OperandWatches::IsWell(const Scope& scope, Followed& followed) {
  if (followed.watch == nullptr) return false;
  const absl::Status health = followed.watch->health();
  if (followed.watch->synced() && health.ok()) {
    followed.unwell_since.reset();
    return true;
  }
  const absl::Duration now = clock_.Monotonic();
  if (!followed.unwell_since.has_value()) followed.unwell_since = now;
  if (now - *followed.unwell_since < options_.patience) return false;
  log::Warning("Custom resources cannot be watched; they are polled",
               {{"resource", scope.gvr.GroupResource()}, {"err", health}});
  Close(followed);
  followed.not_before = now + options_.retry;
  return false;
}

}  // namespace steward::controllers
