// Notifications about the resources that the store holds. Runs on the caller's executor.
#ifndef STORAGE_EMBEDDED_STORE_FOLLOW_CATALOG_H_
#define STORAGE_EMBEDDED_STORE_FOLLOW_CATALOG_H_

#include <functional>

#include "base/async/task.h"
#include "storage/embedded/store/store.h"
#include "storage/embedded/types/catalog.h"

namespace steward::storage {

// Calls `changed` with the current catalog, and again whenever the catalog's types differ from
// those of the previous call. May skip intermediate catalogs. Runs until cancelled. REQUIRES:
// `store` outlives the task.
VoidTask FollowCatalog(Store& store, std::function<void(const Catalog&)> changed);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_STORE_FOLLOW_CATALOG_H_
