// steward.cleanup.v1.CleanupService, as a server is told of it.
#ifndef CONTROLLERS_RPC_CLEANUP_SERVICE_H_
#define CONTROLLERS_RPC_CLEANUP_SERVICE_H_

#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/cleanup/cleanup_calls.h"

namespace steward::rpc {

// Ready once the first lists of the World are complete. What is in `deps` outlives the server.
ServedService ServeCleanup(CleanupCallsDeps deps, CleanupCallsOptions options = {});

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_SERVICE_H_
