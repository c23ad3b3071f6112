// Functions that the commands of this client share.
#ifndef EXAMPLES_GRPC_CPP_CONNECTION_H_
#define EXAMPLES_GRPC_CPP_CONNECTION_H_

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

// `args`: ADDRESS CA CERT KEY ...
std::shared_ptr<grpc::Channel> Connect(const std::vector<std::string>& args);

void SetDeadline(grpc::ClientContext& context);

// Calls `follow`, which handles one call of a Watch and sets the token to go on with, again and
// again: it goes on where it was whenever the call ends. `once`: ends when there is a token.
grpc::Status Repeat(const std::function<grpc::Status(std::string& token)>& follow, bool once);

#endif  // EXAMPLES_GRPC_CPP_CONNECTION_H_
