// Authorizes requesters by the rules of the cluster. Thread-safe.
#ifndef CONTROLLERS_RPC_BRIDGE_ACCESS_H_
#define CONTROLLERS_RPC_BRIDGE_ACCESS_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/cache/review_cache.h"
#include "base/clock/clock.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::rpc {

// The action that a requester wants to take; "" = any or none.
struct AccessAttributes {
  std::string verb;
  kube::GroupVersionResource gvr;
  std::string subresource;
  std::string ns;
  std::string name;
};

struct AccessOptions {
  absl::Duration allowed_ttl = absl::Seconds(10);
  absl::Duration denied_ttl = absl::Seconds(5);
  size_t capacity = 4096;  // answers kept; the least recently used one makes room
  absl::Duration call_timeout = absl::Seconds(10);
};

// Decides by SubjectAccessReview. The group system:masters may do everything without a review, as
// in every Kubernetes API server.
class Access {
 public:
  enum class Answer {
    kKept,  // an answer of the last few seconds suffices
    kFresh,
  };

  // REQUIRES: `client` and `clock` outlive this object and its calls.
  Access(kube::Client& client, Clock& clock, AccessOptions options = {});

  // Returns whether the action is allowed. An error means that there is no decision (503 as a
  // Kubernetes Status), never that the action is allowed.
  Task<bool> Allows(Requester requester, AccessAttributes attributes,
                    Answer answer = Answer::kKept);
  // Returns OK, or a 403 in Kubernetes' words.
  StatusTask Check(Requester requester, AccessAttributes attributes, Answer answer = Answer::kKept);

 private:
  struct Decision {
    bool allowed = false;
    std::string reason;
  };
  Task<Decision> Decide(const Requester& requester, const AccessAttributes& attributes,
                        Answer answer);
  Task<ReviewCache<Decision>::Loaded> Ask(boost::json::object spec);

  kube::Client& client_;
  Clock& clock_;
  const AccessOptions options_;
  ReviewCache<Decision> cache_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_ACCESS_H_
