// The API server, assembled from everything under apiserver/. The methods say which are
// thread-safe.
#ifndef APISERVER_SERVER_SERVER_H_
#define APISERVER_SERVER_SERVER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "apiserver/discovery/version_info.h"
#include "apiserver/http/io_threads.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/server/options.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/clock/heartbeats.h"
#include "kube/audit/log.h"
#include "kube/client/client.h"

namespace prometheus {
class Registry;
}

namespace steward::server {

// The dependencies of the server, all of which outlive it.
struct ApiServerDeps {
  http::IoThreads& threads;
  Clock& clock;
  Random& random;
  prometheus::Registry& registry;  // served at /metrics
  kube::Client& cluster;           // has the ConfigMap with the authentication settings
  kube::Client& token_reviews;     // by --authentication-kubeconfig
  kube::Client& access_reviews;    // by --authorization-kubeconfig
  // True: serves the self-reviews of authorization.k8s.io/v1, too, for a server with no
  // kube-apiserver in front.
  bool self_reviews = false;
  // OK when reads can be answered; the error names what is missing. Called on any thread.
  std::function<absl::Status()> synced;
  // See rest::HandlerOptions::available. Null: resources are always available.
  std::function<absl::Status()> available = nullptr;
  audit::Log* audit_log = nullptr;  // null: requests are not recorded
};

// Needs no cluster to start: discovery and health answer as soon as Start has returned. Until the
// cluster's authentication settings are read, only the CAs that flags name are trusted, and /readyz
// fails (unless Options::authentication_tolerate_lookup_failure is set).
class ApiServer {
 public:
  // Reads certificates and CA files; an error names the problem with them or with the options. The
  // capabilities of a resource without `owner` outlive the server.
  static absl::StatusOr<std::unique_ptr<ApiServer>> Create(Options options,
                                                           std::vector<rest::Resource> resources,
                                                           discovery::VersionInfo version,
                                                           ApiServerDeps deps);
  // REQUIRES: not started, or stopped.
  ~ApiServer();

  // Listens, and returns. Fails when the address is not available. To be called once.
  absl::Status Start();

  // Serves these resources from now on instead of the current ones, also in discovery and OpenAPI;
  // running requests keep the old ones. An error means that a resource's schema is not a JSON
  // object; then nothing changes. The limits max_create_bytes stay those of the resources that
  // Create was given. Thread-safe; of concurrent calls, any one may win. Computes for some
  // milliseconds for each hundred kilobytes of schemas.
  absl::Status SetResources(std::vector<rest::Resource> resources);

  // REQUIRES: started.
  uint16_t port() const;

  // The handler of every connection: the filters, with the resources behind them. Answers without
  // Start, too. Lives as long as the server.
  const http::Handler& handler() const;

  // The heartbeats that /livez checks. Other code registers threads here that do not belong to the
  // server.
  Heartbeats& heartbeats();

  // Makes /readyz fail from now on and continues to serve for --shutdown-delay-duration, in whose
  // second half watches end, evenly spread. Then stops listening, lets other running requests
  // finish within --request-timeout, and ends. May be called on any executor; once. REQUIRES:
  // started.
  VoidTask Stop();

 private:
  struct Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace steward::server

#endif  // APISERVER_SERVER_SERVER_H_
