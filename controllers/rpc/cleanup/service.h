// Describes steward.cleanup.v1.CleanupService for the server. A pure function.
#ifndef CONTROLLERS_RPC_CLEANUP_SERVICE_H_
#define CONTROLLERS_RPC_CLEANUP_SERVICE_H_

#include "controllers/rpc/bridge/served_service.h"
#include "controllers/rpc/cleanup/cleanup_calls.h"

namespace steward::rpc {

// The service is ready once the first lists of the World are complete. The references in `deps`
// outlive the server.
ServedService ServeCleanup(CleanupCallsDeps deps, CleanupCallsOptions options = {});

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_CLEANUP_SERVICE_H_
