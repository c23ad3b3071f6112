#include "storage/embedded/store/follow_catalog.h"

#include <chrono>

namespace steward::storage {

VoidTask FollowCatalog(Store& store, std::function<void(const Catalog&)> changed) {
  CatalogPtr told;
  while (true) {
    // The ticket is taken before the catalog is read, so that no commit in between is missed.
    const Broadcast::Ticket ticket = store.committed().Now();
    CatalogPtr present = store.catalog();
    if (told == nullptr || (present != told && present->types() != told->types())) {
      changed(*present);
    }
    told = std::move(present);
    co_await store.committed().WaitSince(ticket, std::chrono::steady_clock::time_point::max());
  }
}

}  // namespace steward::storage
