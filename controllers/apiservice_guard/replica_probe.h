// The guard's own check whether an API server answers. Lives on one executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_REPLICA_PROBE_H_
#define CONTROLLERS_APISERVICE_GUARD_REPLICA_PROBE_H_

#include <cstdint>
#include <string>

#include "base/async/task.h"
#include "controllers/apiservice_guard/registration.h"
#include "kube/client/client.h"

namespace steward::controllers {

enum class ReplicaAnswer {
  kSilent,     // nobody answers
  kUntrusted,  // a replica answers, with a certificate that the kube-apiserver would refuse
  kTrusted,
};

// An address of a replica.
struct ReplicaAddress {
  std::string host;
  uint16_t port = 0;
};

// Asks one replica as the kube-apiserver would, but anonymously. So any answer counts, also a
// refusal.
class ReplicaDialer {
 public:
  virtual ~ReplicaDialer() = default;
  virtual Task<ReplicaAnswer> Dial(const ReplicaAddress& address, const ServiceTarget& target) = 0;
};

// The best answer of at most 8 ready endpoints of the target's Service; kSilent when there are
// none. Errors are those of reading the Service and its endpoints.
Task<ReplicaAnswer> ProbeReplicas(kube::Client& client, ReplicaDialer& dialer,
                                  const ServiceTarget& target);

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_REPLICA_PROBE_H_
