// Notifications about the resources that the store holds. Runs on the caller's executor.
#ifndef STORAGE_EMBEDDED_STORE_FOLLOW_CATALOG_H_
#define STORAGE_EMBEDDED_STORE_FOLLOW_CATALOG_H_

#include <functional>

#include "base/async/task.h"
#include "storage/embedded/store/store.h"
#include "storage/embedded/types/catalog.h"

namespace steward::storage {

// Calls `changed` with the present catalog, and again whenever its types differ from those of the
// last call; catalogs in between may be left out. Runs until cancelled. REQUIRES: `store` outlives
// the task.
VoidTask FollowCatalog(Store& store, std::function<void(const Catalog&)> changed);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_STORE_FOLLOW_CATALOG_H_
