#include "storage/world/touched.h"

#include <algorithm>
#include <cstddef>

#include "storage/world/history.h"

namespace steward::storage {

Touched TouchedBetween(const World& world, const StateVector& from, const StateVector& to) {
  Touched touched;
  for (size_t i = 0; i < world.sources().size(); ++i) {
    const History::Log& log = world.sources()[i].history.log();
    for (auto it = log.LowerBound({from[i] + 1, 0}); !it.done() && it.key().first <= to[i];
         it.Next()) {
      touched.floor = std::min(touched.floor, it.value().floor);
      touched.objects.push_back({static_cast<Source>(i), &it.value().key});
    }
  }
  return touched;
}

}  // namespace steward::storage
