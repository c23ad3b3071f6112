#include "storage/world/world_metrics.h"

#include <cstddef>

#include "base/metrics/families.h"

namespace steward::storage {

WorldMetrics::WorldMetrics(prometheus::Registry& registry, const SourceSet& sources) {
  auto& objects = GaugeFamily(registry, "steward_world_objects", "Objects held in memory.");
  auto& synced = GaugeFamily(registry, "steward_source_synced", "1 after the first complete list.");
  auto& connected = GaugeFamily(registry, "steward_source_connected",
                                "1 while the stream runs; 0: answers may be stale.");
  auto& revision = GaugeFamily(registry, "steward_source_revision",
                               "Newest revision up to which the stream is known to be complete.");
  auto& unreadable = GaugeFamily(registry, "steward_source_unreadable_objects",
                                 "Objects that are left out, since they cannot be read.");
  for (size_t i = 0; i < sources.count; ++i) {
    const prometheus::Labels labels = {{"source", sources.kinds[i].resource}};
    gauges_.push_back({&objects.Add(labels), &synced.Add(labels), &connected.Add(labels),
                       &revision.Add(labels), &unreadable.Add(labels)});
  }
}

void WorldMetrics::Observe(const World& world) {
  for (size_t i = 0; i < gauges_.size(); ++i) {
    const SourceState& source = world.sources()[i];
    gauges_[i].objects->Set(static_cast<double>(world.CountOf(static_cast<Source>(i))));
    gauges_[i].synced->Set(source.synced ? 1 : 0);
    gauges_[i].connected->Set(source.connected ? 1 : 0);
    gauges_[i].revision->Set(static_cast<double>(source.seen()));
  }
}

void WorldMetrics::SetUnreadable(Source source, size_t count) {
  gauges_[static_cast<size_t>(source)].unreadable->Set(static_cast<double>(count));
}

}  // namespace steward::storage
