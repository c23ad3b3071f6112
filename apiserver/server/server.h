// The API server: everything under apiserver/ put together.
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
#include "apiserver/rest/resource.h"
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

// What the server stands on. All of it outlives the server.
struct ApiServerDeps {
  http::IoThreads& threads;
  Clock& clock;
  Random& random;
  prometheus::Registry& registry;  // served at /metrics
  kube::Client& cluster;           // has the ConfigMap with the authentication settings
  kube::Client& token_reviews;     // by --authentication-kubeconfig
  kube::Client& access_reviews;    // by --authorization-kubeconfig
  // Serve the self-reviews of authorization.k8s.io/v1 too, as no kube-apiserver does it in front.
  bool self_reviews = false;
  // Whether reads can be answered; the error says what is missing. Called from every thread.
  std::function<absl::Status()> synced;
  audit::Log* audit_log = nullptr;  // null: requests are not recorded
};

// Depends on no cluster to start: discovery and health answer as soon as Start has returned. Until
// the authentication settings are known, nobody is authenticated through a front proxy, and /readyz
// says so (unless told to tolerate that).
class ApiServer {
 public:
  // Reads certificates and CA files; the error names what is wrong with them or with the options.
  // The resources' capabilities outlive the server, unless they have an owner.
  static absl::StatusOr<std::unique_ptr<ApiServer>> Create(Options options,
                                                           std::vector<rest::Resource> resources,
                                                           discovery::VersionInfo version,
                                                           ApiServerDeps deps);
  // REQUIRES: not started, or stopped.
  ~ApiServer();

  // Listens, and returns. An error when the address cannot be had. Once.
  absl::Status Start();

  // Serves these resources instead of the present ones, discovery and OpenAPI included; requests
  // under way end on the old ones. An error leaves everything as it is: a resource's schema is not
  // a JSON object. Thread-safe; of calls at the same time the last to return wins. Takes some
  // milliseconds of computing for each hundred kilobytes of schemas.
  absl::Status SetResources(std::vector<rest::Resource> resources);

  // REQUIRES: started.
  uint16_t port() const;

  // Counts in /livez: for the beats of threads that are not the server's.
  Heartbeats& heartbeats();

  // Lets /readyz fail from now on and serves on for --shutdown-delay-duration; in the second half
  // of that watches end, evenly. Then stops listening, lets other requests under way finish within
  // --request-timeout, and ends. On any executor; once. REQUIRES: started.
  VoidTask Stop();

 private:
  struct Impl;
  explicit ApiServer(std::unique_ptr<Impl> impl);
  const std::unique_ptr<Impl> impl_;
};

}  // namespace steward::server

#endif  // APISERVER_SERVER_SERVER_H_
