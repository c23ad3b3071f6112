#include "cmd/steward/clients.h"

#include <prometheus/counter.h>

#include <utility>

#include "base/clock/clock.h"
#include "base/metrics/families.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "cmd/steward/version.h"
#include "kube/client/config.h"
#include "kube/client/kubeconfig.h"
#include "kube/client/rest_client.h"

namespace steward {
namespace asio = boost::asio;
namespace {

absl::StatusOr<kube::ClientConfig> ConfigOf(const std::string& kubeconfig) {
  return kubeconfig.empty() ? kube::InClusterConfig() : kube::LoadKubeconfig(kubeconfig);
}

absl::StatusOr<std::unique_ptr<kube::Client>> ClientOf(const kube::ClientConfig& config,
                                                       asio::any_io_executor executor,
                                                       prometheus::Registry& registry) {
  auto& requests = CounterFamily(registry, "rest_client_requests_total",
                                 "Requests to the kube-apiserver, by method and code.");
  kube::RestClientOptions options;
  options.user_agent = StrCat("steward/", BuildVersion().git_version);
  options.transport.observer = [&requests](const kube::Exchange& exchange) {
    requests.Add({{"method", std::string(exchange.method)}, {"code", std::string(exchange.code)}})
        .Increment();
  };
  return kube::MakeRestClient(config, std::move(executor), Clock::Real(), Random::Real(),
                              std::move(options));
}

}  // namespace

absl::StatusOr<std::unique_ptr<kube::Client>> MakeClient(const std::string& kubeconfig,
                                                         asio::any_io_executor executor,
                                                         prometheus::Registry& registry) {
  ASSIGN_OR_RETURN(const kube::ClientConfig config, ConfigOf(kubeconfig));
  return ClientOf(config, std::move(executor), registry);
}

absl::StatusOr<std::unique_ptr<kube::Client>> MakeClientWithToken(const std::string& kubeconfig,
                                                                  const std::string& token_file,
                                                                  asio::any_io_executor executor,
                                                                  prometheus::Registry& registry) {
  ASSIGN_OR_RETURN(kube::ClientConfig config, ConfigOf(kubeconfig));
  config = kube::WithoutCredentials(std::move(config));
  config.token_file = token_file;
  return ClientOf(config, std::move(executor), registry);
}

absl::StatusOr<Clients> MakeClients(const server::Options& options, asio::any_io_executor executor,
                                    prometheus::Registry& registry) {
  const auto or_main = [&options](const std::string& kubeconfig) -> const std::string& {
    return kubeconfig.empty() ? options.kubeconfig : kubeconfig;
  };
  Clients clients;
  ASSIGN_OR_RETURN(clients.cluster, MakeClient(options.kubeconfig, executor, registry));
  ASSIGN_OR_RETURN(clients.token_reviews,
                   MakeClient(or_main(options.authentication_kubeconfig), executor, registry));
  ASSIGN_OR_RETURN(clients.access_reviews,
                   MakeClient(or_main(options.authorization_kubeconfig), executor, registry));
  return clients;
}

}  // namespace steward
