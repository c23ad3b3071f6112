// The commands about InstallPlans and bundles.
#ifndef EXAMPLES_GRPC_CPP_PLANS_H_
#define EXAMPLES_GRPC_CPP_PLANS_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

// `words`: list | watch [--once] | preview NAMESPACE NAME | preview NAMESPACE bundle FILE.json...
grpc::Status Plans(const std::shared_ptr<grpc::Channel>& channel,
                   const std::vector<std::string>& words);

#endif  // EXAMPLES_GRPC_CPP_PLANS_H_
