#include "storage/world/world_store.h"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <utility>

namespace steward::storage {

WorldSnapshot WorldStore::Lifted() {
  MutexLock lock(&mutex_);
  // The clock stays 0 until there is a state to show.
  if (now_.world->synced()) now_.clock = std::max(now_.clock, (newest_ + 1) * kTicks);
  return now_;
}

void WorldStore::Publish(WorldPtr world) {
  assert(&world->set() == &sources_);
  {
    MutexLock lock(&mutex_);
    const bool changed = world->changes() != now_.world->changes();
    if (world->epoch() != now_.world->epoch()) newest_ = 0;
    uint64_t highest = 0;
    for (const SourceState& source : world->sources()) {
      highest = std::max(highest, source.component);
      newest_ = std::max(newest_, source.seen());
    }
    now_.clock = std::max(now_.clock + (changed ? 1 : 0), highest * kTicks);
    now_.world = std::move(world);
  }
  published_.Notify();
}

void WorldStore::LearnRevision(uint64_t revision) {
  MutexLock lock(&mutex_);
  newest_ = std::max(newest_, revision);
}

boost::asio::awaitable<WorldPtr> WorldStore::WaitUntil(std::function<bool(const World&)> ready,
                                                       absl::Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
  for (;;) {
    // The ticket is taken before the World is read, so that no publication in between is missed.
    const Broadcast::Ticket ticket = published_.Now();
    WorldPtr world = Current();
    if (ready(*world) || std::chrono::steady_clock::now() >= deadline) co_return world;
    co_await published_.WaitSince(ticket, deadline);
  }
}

}  // namespace steward::storage
