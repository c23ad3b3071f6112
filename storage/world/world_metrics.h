// What /metrics says of the World.
#ifndef STORAGE_WORLD_WORLD_METRICS_H_
#define STORAGE_WORLD_WORLD_METRICS_H_

#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <array>

#include "storage/world/world.h"

namespace steward::storage {

// Gauges, by source (clusterserviceversions, operatorgroups, namespaces):
//   steward_world_objects          objects held
//   steward_source_synced          1 after the first complete list
//   steward_source_connected       1 while the stream runs; 0: answers may be stale
//   steward_source_revision        newest revision up to which the stream is complete
// One writer; scraping from other threads is safe.
class WorldMetrics {
 public:
  // `registry` outlives this object.
  explicit WorldMetrics(prometheus::Registry& registry);

  void Observe(const World& world);

 private:
  struct Gauges {
    prometheus::Gauge* objects;
    prometheus::Gauge* synced;
    prometheus::Gauge* connected;
    prometheus::Gauge* revision;
  };
  std::array<Gauges, kSources> gauges_;
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_METRICS_H_
