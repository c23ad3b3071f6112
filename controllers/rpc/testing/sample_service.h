// steward.sample.v1.SampleService, a second service to register beside another. A pure function.
#ifndef CONTROLLERS_RPC_TESTING_SAMPLE_SERVICE_H_
#define CONTROLLERS_RPC_TESTING_SAMPLE_SERVICE_H_

#include "base/async/stop_signal.h"
#include "controllers/rpc/bridge/served_service.h"

namespace steward::rpc {

// The service is ready once `ready` is set; `ready` outlives the server.
ServedService ServeSample(const StopSignal& ready);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_TESTING_SAMPLE_SERVICE_H_
