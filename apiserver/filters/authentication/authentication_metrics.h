// Metrics of authentication, under the names of Kubernetes' API servers. Thread-safe.
#ifndef APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_METRICS_H_
#define APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_METRICS_H_

#include <memory>

#include "absl/status/status.h"
#include "absl/time/time.h"

namespace prometheus {
class Registry;
}

namespace steward::filters {

// Registers its metrics in the registry, which must outlive it.
class AuthenticationMetrics {
 public:
  explicit AuthenticationMetrics(prometheus::Registry& registry);
  ~AuthenticationMetrics();

  // authentication_attempts{result}: "success" (also for anonymous requests), "failure" for bad
  // credentials (kUnauthenticated), "error" when they could not be judged.
  void ObserveAttempt(const absl::Status& result);
  // apiserver_client_certificate_expiration_seconds: the remaining validity of a certificate that
  // was verified, a front proxy's or a user's.
  void ObserveCertificate(absl::Duration remaining);

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace steward::filters

#endif  // APISERVER_FILTERS_AUTHENTICATION_AUTHENTICATION_METRICS_H_
