#include "storage/world/world_store.h"

#include <chrono>
#include <utility>

namespace steward::storage {

boost::asio::awaitable<WorldPtr> WorldStore::WaitUntil(std::function<bool(const World&)> ready,
                                                       absl::Duration timeout) {
  const auto deadline = std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(timeout);
  for (;;) {
    // The ticket is taken before the look, so that nothing published in between is missed.
    const Broadcast::Ticket ticket = published_.Now();
    WorldPtr world = Current();
    if (ready(*world) || std::chrono::steady_clock::now() >= deadline) co_return world;
    co_await published_.WaitSince(ticket, deadline);
  }
}

}  // namespace steward::storage
