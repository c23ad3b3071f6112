// Metrics of authentication, by the names of Kubernetes' API servers.
#ifndef APISERVER_FILTERS_AUTHENTICATION_METRICS_H_
#define APISERVER_FILTERS_AUTHENTICATION_METRICS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace prometheus {
class Registry;
}

namespace steward::filters {

// Registers its metrics in the registry, which must outlive it. Thread-safe.
class AuthenticationMetrics {
 public:
  explicit AuthenticationMetrics(prometheus::Registry& registry);
  ~AuthenticationMetrics();

  // authentication_attempts{result}: "success" (anonymous requests too), "failure" for credentials
  // that are no good (kUnauthenticated), "error" where they could not be judged.
  void ObserveAttempt(const absl::Status& result);
  // apiserver_client_certificate_expiration_seconds: how long a certificate that verified, a front
  // proxy's or a user's, will still be valid.
  void ObserveCertificate(absl::Duration remaining);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_METRICS_H_
