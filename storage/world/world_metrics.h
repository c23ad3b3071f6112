// The metrics of the World. Only one thread may write; other threads may scrape at any time.
#ifndef STORAGE_WORLD_WORLD_METRICS_H_
#define STORAGE_WORLD_WORLD_METRICS_H_

#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <vector>

#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// Gauges, by source (the plural name of its resource):
//   steward_world_objects          objects held
//   steward_source_synced          1 after the first complete list
//   steward_source_connected       1 while the stream runs; 0: answers may be stale
//   steward_source_revision        newest revision up to which the stream is complete
//   steward_source_unreadable_objects  objects that are left out, since they cannot be read
class WorldMetrics {
 public:
  // REQUIRES: `registry` outlives this object.
  WorldMetrics(prometheus::Registry& registry, const SourceSet& sources);

  // REQUIRES: `world` is of the sources.
  void Observe(const World& world);
  void SetUnreadable(Source source, size_t count);

 private:
  struct Gauges {
    prometheus::Gauge* objects;
    prometheus::Gauge* synced;
    prometheus::Gauge* connected;
    prometheus::Gauge* revision;
    prometheus::Gauge* unreadable;
  };
  std::vector<Gauges> gauges_;  // one for each source
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_METRICS_H_
