// The commands about copied ClusterServiceVersions.
#ifndef EXAMPLES_GRPC_CPP_COPIES_H_
#define EXAMPLES_GRPC_CPP_COPIES_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

// `words`: watch [--once] | preview on|off.
grpc::Status Copies(const std::shared_ptr<grpc::Channel>& channel,
                    const std::vector<std::string>& words);

#endif  // EXAMPLES_GRPC_CPP_COPIES_H_
