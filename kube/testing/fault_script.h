// The script of faults that the misbehaving clients follow. Thread-safe.
#ifndef KUBE_TESTING_FAULT_SCRIPT_H_
#define KUBE_TESTING_FAULT_SCRIPT_H_

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"

namespace steward::kube {

enum class ClientVerb { kGet, kList, kWatch, kCreate, kUpdate, kPatch, kDelete, kDiscover };

std::string_view VerbText(ClientVerb verb);  // "get"

// A set of a client's calls.
struct Calls {
  ClientVerb verb;
  GroupVersionResource gvr;  // a discovery has no resource
  std::string name = {};     // "" = any name; lists, watches and discoveries have none
  std::string as = {};       // the name of the acting user (Client::As); "" = any user
  auto operator<=>(const Calls&) const = default;
};

// Each call meets, in this order: the holds, the first remaining delay that matches it, and the
// first remaining outcome that matches it. Without an outcome it proceeds normally.
//
// The callers' executors must run one handler at a time.
class FaultScript {
 public:
  // REQUIRES: `clock`, where given, outlives the script and its calls.
  explicit FaultScript(Clock* clock = nullptr);

  // Set the outcomes of the next `times` calls. OK lets them through, to count up to a later
  // outcome.
  void FailNext(const Calls& calls, absl::Status error, int times = 1);
  void LoseNext(const Calls& calls, int times = 1);
  // REQUIRES: a clock.
  void DelayNext(const Calls& calls, absl::Duration delay, int times = 1);
  // Makes calls from now on wait until Release of the same calls.
  void Hold(const Calls& calls);
  void Release(const Calls& calls);
  // Drops the remaining faults for calls of this resource, and releases held ones.
  void Forget(const GroupVersionResource& gvr);

  // Returns the number of calls begun, failed ones included.
  int calls(const Calls& calls) const;
  // Returns the user as which the last such call was made; nullopt: the client's own, or no call.
  std::optional<UserInfo> last_user(const Calls& calls) const;

  // Must be awaited by each call before it does anything; `user`: the acting user. Returns the
  // error to fail with, or true when the call's answer must be lost.
  Task<bool> Enter(ClientVerb verb, GroupVersionResource gvr, std::string name,
                   std::optional<UserInfo> user);

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAULT_SCRIPT_H_
