// The description of a service for the server that serves it. Plain values.
#ifndef CONTROLLERS_RPC_BRIDGE_SERVED_SERVICE_H_
#define CONTROLLERS_RPC_BRIDGE_SERVED_SERVICE_H_

#include <functional>
#include <memory>
#include <string>

#include "base/async/task.h"

namespace grpc {
class Service;
}

namespace steward::rpc {

class Bridge;

struct ServedService {
  std::string name;  // "steward.cleanup.v1.CleanupService"
  // Makes the service, once. It is destroyed before the bridge.
  std::function<std::unique_ptr<grpc::Service>(Bridge& bridge)> make;
  // Returns when the service can answer, which makes it healthy. Runs on the bridge's executor;
  // cancellable.
  std::function<VoidTask()> until_ready;
  // Background work of the service, such as following the data that its calls answer from. Runs on
  // the bridge's executor after the service was made, until the server stops; cancelled before the
  // calls end. Null: none.
  std::function<VoidTask()> run = nullptr;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_SERVED_SERVICE_H_
