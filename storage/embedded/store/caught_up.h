// Waits until a World shows everything that has been written. Thread-safe.
#ifndef STORAGE_EMBEDDED_STORE_CAUGHT_UP_H_
#define STORAGE_EMBEDDED_STORE_CAUGHT_UP_H_

#include "base/async/task.h"
#include "storage/embedded/store/store.h"
#include "storage/world/world_store.h"

namespace steward::storage {

// Returns once the current World is synced and shows every change that was committed before the
// call. `worlds` are of kOperatorSources or kPlanSources, made by a WorldFeed over `store`. Errors
// are the store's. Cancellable.
StatusTask WaitUntilCaughtUp(Store& store, WorldStore& worlds);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_STORE_CAUGHT_UP_H_
