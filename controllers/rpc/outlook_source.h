// Where the statuses of cleanups come from.
#ifndef CONTROLLERS_RPC_OUTLOOK_SOURCE_H_
#define CONTROLLERS_RPC_OUTLOOK_SOURCE_H_

#include <functional>

#include "storage/cleanup/outlooks.h"
#include "storage/world/world.h"

namespace steward::controllers {

// Those of every ClusterServiceVersion that is no copy, as of this World. Never null.
using OutlookSource = std::function<storage::OutlookMapPtr(const storage::WorldPtr& world)>;

}  // namespace steward::controllers

#endif  // CONTROLLERS_RPC_OUTLOOK_SOURCE_H_
