// Watches over the admission policies that restrict what a family of reconcilers may do. Lives on
// one executor.
#ifndef CONTROLLERS_RUNTIME_POLICY_WATCH_H_
#define CONTROLLERS_RUNTIME_POLICY_WATCH_H_

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

struct PolicyWatchOptions {
  kube::NamespacedName lease;  // which the Events are about
  absl::Duration period = absl::Seconds(30);
  absl::Duration timeout = absl::Seconds(10);  // of a look at one policy
};

// Looks, at once and then periodically, whether each ValidatingAdmissionPolicy fails closed and is
// bound by a binding of its own name that denies. Only reports: a reconciler whose work is safe
// only under a policy checks the policy itself.
//
// The gauge steward_policy_missing{policy} is 1 unless the last look found the policy in force. A
// policy that is known not to be in force is reported once, by a Warning Event PolicyMissing and a
// log line, until it was in force again or something else is wrong with it. A problem of the first
// look is reported by the second look, because manifests may still be on their way when a process
// starts.
class PolicyWatch {
 public:
  // REQUIRES: the references outlive this object.
  PolicyWatch(kube::Client& client, Clock& clock, EventRecorder& events,
              prometheus::Registry& registry, const std::set<std::string>& policies,
              PolicyWatchOptions options);
  PolicyWatch(const PolicyWatch&) = delete;
  PolicyWatch& operator=(const PolicyWatch&) = delete;

  // Runs until cancelled.
  VoidTask Run();

 private:
  struct Watched {
    std::string name;
    prometheus::Gauge& missing;
    std::string told;        // the last reported problem; "": none
    bool looked_at = false;  // at least one look had an answer
  };
  // Returns what is wrong with the policy, as the end of a sentence; "" = nothing.
  Task<std::string> Look(std::string name);
  void Apply(Watched& policy, const absl::StatusOr<std::string>& wrong);

  kube::Client& client_;
  Clock& clock_;
  EventRecorder& events_;
  const PolicyWatchOptions options_;
  std::vector<Watched> policies_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_POLICY_WATCH_H_
