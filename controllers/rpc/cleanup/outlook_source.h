// The source of the statuses of cleanups. Called on one executor.
#ifndef CONTROLLERS_RPC_CLEANUP_OUTLOOK_SOURCE_H_
#define CONTROLLERS_RPC_CLEANUP_OUTLOOK_SOURCE_H_

#include <functional>

#include "storage/cleanup/outlooks.h"
#include "storage/world/world.h"

namespace steward::rpc {

// Returns the outlook of every ClusterServiceVersion that is no copy, as of `world`. Never null.
using OutlookSource = std::function<storage::OutlookMapPtr(const storage::WorldPtr& world)>;

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_OUTLOOK_SOURCE_H_
