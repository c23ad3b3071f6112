// Clients of the kube-apiserver. The functions are thread-safe, as are the clients.
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

// A client of the cluster that the file `kubeconfig` names; if that is "", of the cluster in which
// this process runs. Requests are counted in `registry`. An error means that the kubeconfig cannot
// be read or used. REQUIRES: `executor` is as kube::MakeRestClient demands; `registry` outlives the
// client.
absl::StatusOr<std::unique_ptr<kube::Client>> MakeClient(const std::string& kubeconfig,
                                                         boost::asio::any_io_executor executor,
                                                         prometheus::Registry& registry);

// Makes a client like MakeClient, but its only credentials are the token in `token_file`, which is
// read again as it is rotated.
absl::StatusOr<std::unique_ptr<kube::Client>> MakeClientWithToken(
    const std::string& kubeconfig, const std::string& token_file,
    boost::asio::any_io_executor executor, prometheus::Registry& registry);

// The clients of the API server. Each has connections of its own, even if kubeconfigs are equal: so
// a burst of one kind of reviews delays neither the other kind nor the reflectors. None is null.
struct Clients {
  std::unique_ptr<kube::Client> cluster;         // for the reflectors and all other reads
  std::unique_ptr<kube::Client> token_reviews;   // by --authentication-kubeconfig
  std::unique_ptr<kube::Client> access_reviews;  // by --authorization-kubeconfig
};

absl::StatusOr<Clients> MakeClients(const server::Options& options,
                                    boost::asio::any_io_executor executor,
                                    prometheus::Registry& registry);

}  // namespace steward

#endif  // CMD_STEWARD_CLIENTS_H_
