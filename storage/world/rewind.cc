#include "storage/world/rewind.h"

#include <vector>

#include "storage/world/world_editor.h"

namespace steward::storage {

WorldPtr Rewind(const WorldPtr& world, const StateVector& vector) {
  auto past = std::make_shared<World>(*world);
  WorldEditor editor(*past);
  bool undone = false;
  for (size_t i = 0; i < kSources; ++i) {
    const History::Log& log = world->source(static_cast<Source>(i)).history.log();
    std::vector<const LoggedChange*> later;
    for (auto it = log.LowerBound({vector[i] + 1, 0}); !it.done(); it.Next()) {
      later.push_back(&it.value());
    }
    for (auto it = later.rbegin(); it != later.rend(); ++it) {
      editor.Restore((*it)->key, (*it)->before);
      undone = true;
    }
  }
  if (!undone) return world;
  return past;
}

}  // namespace steward::storage
