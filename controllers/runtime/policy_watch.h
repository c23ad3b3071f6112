// The look at the admission policies that narrow what a family of reconcilers may do. Lives on one
// executor.
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
// bound by a binding of its own name that denies. It only reports what it finds: reconcilers whose
// work is safe only under a policy look for themselves.
//
// The gauge steward_policy_missing{policy} is 1 unless the last look found the policy in force. A
// policy that is known not to be is named by a Warning Event PolicyMissing and a line of the log
// once, until it was in force again or something else is wrong with it. The second look reports
// what the first one found: manifests may be on their way when a process starts.
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
    std::string told;        // what was wrong with it; "": nothing
    bool looked_at = false;  // once, with an answer
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
