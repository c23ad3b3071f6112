#include "controllers/runtime/world_changes.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>

#include "absl/time/time.h"
#include "storage/world/touched.h"

namespace steward::controllers {
namespace {

using storage::TouchedBetween;
using storage::TouchedOperators;

// Each wait ends after this time, and then starts over.
constexpr absl::Duration kPatience = absl::Hours(1);

template <typename T>
void AddWhatIsNew(const std::set<T>& before, const std::set<T>& now, std::set<T>& out) {
  std::set_difference(now.begin(), now.end(), before.begin(), before.end(),
                      std::inserter(out, out.end()));
}

// The changes since `last`. Several objects can change at one revision, and `last` may have had
// only some of them. So its newest revision is looked at again.
TouchedOperators Since(const storage::World& last, const storage::World& world) {
  const storage::StateVector from = last.Vector();
  storage::StateVector below = from;
  for (uint64_t& revision : below) revision = std::max<uint64_t>(revision, 1) - 1;
  TouchedOperators touched = TouchedOperators::Of(TouchedBetween(world, from, world.Vector()));
  const auto known = TouchedOperators::Of(TouchedBetween(last, below, from));
  const auto then = TouchedOperators::Of(TouchedBetween(world, below, from));
  AddWhatIsNew(known.csvs, then.csvs, touched.csvs);
  AddWhatIsNew(known.installs, then.installs, touched.installs);
  AddWhatIsNew(known.namespaces, then.namespaces, touched.namespaces);
  return touched;
}

}  // namespace

VoidTask FollowWorlds(storage::WorldStore& worlds, OnWorldChange changed) {
  storage::WorldPtr last;
  while (true) {
    const storage::WorldPtr world = co_await worlds.WaitUntil(
        [&last](const storage::World& next) {
          return next.synced() && (last == nullptr || next.changes() != last->changes() ||
                                   next.epoch() != last->epoch());
        },
        kPatience);
    if (!world->synced()) continue;
    if (last == nullptr || world->epoch() != last->epoch() ||
        world->Knows(last->Vector()) != storage::Knowledge::kKnown) {
      changed(*world, nullptr);
    } else if (const TouchedOperators touched = Since(*last, *world); !touched.empty()) {
      changed(*world, &touched);
    }
    last = world;
  }
}

}  // namespace steward::controllers
