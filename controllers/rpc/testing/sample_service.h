// steward.sample.v1.SampleService, which exists to be registered beside another service.
#ifndef CONTROLLERS_RPC_TESTING_SAMPLE_SERVICE_H_
#define CONTROLLERS_RPC_TESTING_SAMPLE_SERVICE_H_

#include "base/async/stop_signal.h"
#include "controllers/rpc/bridge/served_service.h"

namespace steward::rpc {

// Ready once `ready` is set; it outlives the server.
ServedService ServeSample(const StopSignal& ready);

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_TESTING_SAMPLE_SERVICE_H_
