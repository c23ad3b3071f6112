// The writing end of a watch. Implementations live on the executor of the watch.
#ifndef CONTROLLERS_RPC_BRIDGE_MESSAGE_SINK_H_
#define CONTROLLERS_RPC_BRIDGE_MESSAGE_SINK_H_

#include "base/async/task.h"

namespace steward::rpc {

template <typename Message>
class MessageSink {
 public:
  virtual ~MessageSink() = default;
  // Returns when there is room for another message, or an error when the client is gone.
  virtual StatusTask Write(Message message) = 0;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_MESSAGE_SINK_H_
