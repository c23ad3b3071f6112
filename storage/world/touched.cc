#include "storage/world/touched.h"

#include <algorithm>

namespace steward::storage {

Touched TouchedBetween(const World& world, const StateVector& from, const StateVector& to) {
  Touched touched;
  for (size_t i = 0; i < kSources; ++i) {
    const History::Log& log = world.source(static_cast<Source>(i)).history.log();
    for (auto it = log.LowerBound({from[i] + 1, 0}); !it.done() && it.key().first <= to[i];
         it.Next()) {
      touched.floor = std::min(touched.floor, it.value().floor);
      const kube::NamespacedName& key = it.value().key;
      switch (static_cast<Source>(i)) {
        case Source::kCsv:
          touched.csvs.insert(key);
          break;
        case Source::kOperatorGroup:
          touched.installs.insert(key.ns);
          break;
        case Source::kNamespace:
          touched.namespaces.insert(key.name);
          break;
      }
    }
  }
  return touched;
}

}  // namespace steward::storage
