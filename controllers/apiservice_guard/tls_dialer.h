// The guard's dialer over TLS. Lives on one executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_TLS_DIALER_H_
#define CONTROLLERS_APISERVICE_GUARD_TLS_DIALER_H_

#include "absl/status/status.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/apiservice_guard/registration.h"
#include "controllers/apiservice_guard/replica_probe.h"
#include "kube/client/config.h"

namespace steward::controllers {

// Asks for discovery, for at most two seconds each time, without credentials.
class TlsDialer : public ReplicaDialer {
 public:
  // REQUIRES: the references outlive this object; the callers' executor runs one handler at a time.
  TlsDialer(Clock& clock, Random& random) : clock_(clock), random_(random) {}

  Task<ReplicaAnswer> Dial(const ReplicaAddress& address, const ServiceTarget& target) override;

 private:
  StatusTask Ask(const kube::ClientConfig& config);

  Clock& clock_;
  Random& random_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_TLS_DIALER_H_
