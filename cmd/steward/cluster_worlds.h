// The Worlds of one cluster and one source set, kept current, with their metrics. Thread-safe,
// except Start.
#ifndef CMD_STEWARD_CLUSTER_WORLDS_H_
#define CMD_STEWARD_CLUSTER_WORLDS_H_

#include <prometheus/registry.h>

#include <cstddef>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/watched_operators.h"
#include "storage/plans/plan_world.h"
#include "storage/plans/watched_plans.h"
#include "storage/reflector/revision_probe.h"
#include "storage/reflector/world_feed.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"
#include "storage/world/world_metrics.h"
#include "storage/world/world_store.h"

namespace steward {

// A source set, and how its sources are read.
struct WorldSources {
  const storage::SourceSet& set;
  std::vector<storage::WatchedSource> watched;
};
inline WorldSources OperatorSources() {
  return {storage::kOperatorSources, storage::WatchedOperators()};
}
inline WorldSources PlanSources() { return {storage::kPlanSources, storage::WatchedPlans()}; }

// Joins the store of Worlds with the feed and the probe that keep it current.
class ClusterWorlds : private storage::UnreadableObserver {
 public:
  // Reports an object that cannot be read: its source, its name and why, on the executor.
  using ReportUnreadable =
      std::function<void(storage::Source, const kube::NamespacedName&, const absl::Status&)>;

  // REQUIRES: the other arguments outlive this object.
  ClusterWorlds(kube::Client& cluster, Clock& clock, Random& random, prometheus::Registry& registry,
                const WorldSources& sources)
      : store_(sources.set),
        metrics_(registry, store_.sources()),
        feed_(
            cluster, clock, random, sources.watched, store_,
            [this](const storage::World& world) { metrics_.Observe(world); }, this),
        probe_(cluster, clock, store_) {}

  // Called before Start.
  void SetReportUnreadable(ReportUnreadable report) { report_unreadable_ = std::move(report); }

  // Follows the cluster until `tasks` is stopped, which must be before this object is destroyed.
  // Called once.
  void Start(TaskGroup& tasks) {
    feed_.Start(tasks);
    tasks.Spawn("learn the revision", probe_.Run());
  }

  storage::WorldStore& store() { return store_; }
  const storage::WorldStore& store() const { return store_; }
  // OK when reads can be answered; else the error names what is missing.
  absl::Status Synced() const {
    return store_.Current()->synced()
               ? absl::OkStatus()
               : absl::UnavailableError("the first lists are not complete yet");
  }

  // Asks the cluster for its present revision, for a read that needs the newest state.
  void LearnRevision() { probe_.Ask(); }
  // Asks the cluster for the changes up to `vector`, for a read that waits for them on behalf of
  // `asker`.
  void CatchUp(const storage::StateVector& vector, std::string_view asker) {
    feed_.CatchUp(vector, asker);
  }

 private:
  void OnUnreadable(storage::Source source, const kube::NamespacedName& name,
                    const absl::Status& why) override {
    if (report_unreadable_) report_unreadable_(source, name, why);
  }
  void OnUnreadableCount(storage::Source source, size_t count) override {
    metrics_.SetUnreadable(source, count);
  }

  ReportUnreadable report_unreadable_;
  storage::WorldStore store_;
  storage::WorldMetrics metrics_;
  storage::WorldFeed feed_;
  storage::RevisionProbe probe_;
};

}  // namespace steward

#endif  // CMD_STEWARD_CLUSTER_WORLDS_H_
