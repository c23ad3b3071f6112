// Which calls of a client are to go wrong, and how: the script that the misbehaving clients follow.
#ifndef KUBE_TESTING_FAULT_SCRIPT_H_
#define KUBE_TESTING_FAULT_SCRIPT_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"

namespace steward::kube {

enum class ClientVerb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete };

// Some of a client's calls.
struct Calls {
  ClientVerb verb;
  GroupVersionResource gvr;
  std::string name = {};  // "" = whatever the name; lists and watches have none
};

// Each call meets, in this order: the holds, the first delay left that is meant for it, and of the
// outcomes left the first that is meant for it. Without an outcome it goes its way.
//
// Thread-safe. The callers' executors must run one handler at a time.
class FaultScript {
 public:
  // REQUIRES: `clock`, where given, outlives the script and its calls.
  explicit FaultScript(Clock* clock = nullptr);

  // Outcomes of the next `times` calls. OK lets them through, to count up to a later outcome.
  void FailNext(const Calls& calls, absl::Status error, int times = 1);
  void LoseNext(const Calls& calls, int times = 1);
  // REQUIRES: a clock.
  void DelayNext(const Calls& calls, absl::Duration delay, int times = 1);
  // Calls from now on wait until Release of the same calls.
  void Hold(const Calls& calls);
  void Release(const Calls& calls);
  // Drops what is left for calls of this resource, and releases those that are held.
  void Forget(const GroupVersionResource& gvr);

  // Calls begun, failed ones too.
  int calls(const Calls& calls) const;

  // To be awaited by each call before it does anything: the error to fail with, or whether its
  // answer is to be lost.
  Task<bool> Enter(ClientVerb verb, GroupVersionResource gvr, std::string name);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAULT_SCRIPT_H_
