// Clients of the kube-apiserver.
#ifndef CMD_STEWARD_CLIENTS_H_
#define CMD_STEWARD_CLIENTS_H_

#include <prometheus/registry.h>

#include <boost/asio/any_io_executor.hpp>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "apiserver/server/options.h"
#include "kube/client/client.h"

namespace steward {

// By this kubeconfig, or where it is empty as the cluster that this process runs in gives it.
// Requests are counted in `registry`. Errors: a kubeconfig that cannot be read or used.
// REQUIRES: `executor` is as kube::MakeRestClient asks; `registry` outlives the client.
absl::StatusOr<std::unique_ptr<kube::Client>> MakeClient(const std::string& kubeconfig,
                                                         boost::asio::any_io_executor executor,
                                                         prometheus::Registry& registry);

// The API server's. Each has connections of its own, whichever kubeconfigs are the same: a burst of
// reviews of one kind neither waits for the other kind's nor keeps the reflectors from connecting.
// None is null.
struct Clients {
  std::unique_ptr<kube::Client> cluster;         // the reflectors', and all other reading
  std::unique_ptr<kube::Client> token_reviews;   // by --authentication-kubeconfig
  std::unique_ptr<kube::Client> access_reviews;  // by --authorization-kubeconfig
};

absl::StatusOr<Clients> MakeClients(const server::Options& options,
                                    boost::asio::any_io_executor executor,
                                    prometheus::Registry& registry);

}  // namespace steward

#endif  // CMD_STEWARD_CLIENTS_H_
