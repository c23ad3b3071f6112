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

WorldPtr RewindCache::At(const WorldPtr& world, const StateVector& vector) {
  if (vector == world->Vector()) return world;
  {
    MutexLock hold(&mutex_);
    for (const Entry& entry : entries_) {
      if (entry.world == world && entry.vector == vector) return entry.past;
    }
  }
  WorldPtr past = Rewind(world, vector);
  MutexLock hold(&mutex_);
  entries_[next_] = {world, vector, past};
  next_ = (next_ + 1) % kEntries;
  return past;
}

}  // namespace steward::storage
