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

// A client of the cluster that the kubeconfig names, or where `kubeconfig` is empty of the cluster
// in which this process runs. Requests are counted in `registry`. Errors: a kubeconfig that cannot
// be read or used. REQUIRES: `executor` is as kube::MakeRestClient demands; `registry` outlives the
// client.
absl::StatusOr<std::unique_ptr<kube::Client>> MakeClient(const std::string& kubeconfig,
                                                         boost::asio::any_io_executor executor,
                                                         prometheus::Registry& registry);

// Makes such a client that uses only the token in a file, which is read again as it is rotated, and
// no other credentials.
absl::StatusOr<std::unique_ptr<kube::Client>> MakeClientWithToken(
    const std::string& kubeconfig, const std::string& token_file,
    boost::asio::any_io_executor executor, prometheus::Registry& registry);

// The clients of the API server. Each has connections of its own, even if kubeconfigs are equal: a
// burst of reviews of one kind neither waits for the other kind's nor keeps the reflectors from
// connecting. None is null.
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
