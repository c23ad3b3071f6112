// A client in front of another, with which a test observes calls, breaks them by a script, or
// decides about each by hooks. Thread-safe, except the hooks.
//
//   HookClient client(store, clock);
//   client.FailNext({ClientVerb::kUpdate, kWidgets}, kube::ToStatus(kube::Timeout("busy", 1)));
//   client.LoseNext({ClientVerb::kCreate, kWidgets, "a"});
#ifndef KUBE_TESTING_HOOK_CLIENT_H_
#define KUBE_TESTING_HOOK_CLIENT_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/client/forwarding_client.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hooks.h"

namespace steward::kube {

// The script's faults come first, in the order of fault_script.h, and then the decisions of the
// hooks, which are not asked about watches. A call that is to fail never reaches the inner client.
// No write passes unseen: all go through Write, and a client that As returns has the same script
// and hooks.
//
// The callers' executors must run one handler at a time.
class HookClient : public InterceptingClient {
 public:
  // REQUIRES: the arguments outlive the client, its calls and its watches. DelayNext needs a clock.
  explicit HookClient(Client& inner);
  HookClient(Client& inner, Clock& clock);
  HookClient(Client& inner, Hooks& hooks);
  // REQUIRES: no call is running; watches may outlive the client.
  ~HookClient() override;

  // --- Single calls.

  // Makes the next `times` such calls fail with `error`; OK lets them through, to count up to a
  // later fault.
  void FailNext(const Calls& calls, absl::Status error, int times = 1);
  // Makes the next `times` such calls reach the inner client but end as kUnavailable, whatever
  // their result.
  void LoseNext(const Calls& calls, int times = 1);
  // Makes the next `times` such calls begin `delay` later.
  void DelayNext(const Calls& calls, absl::Duration delay, int times = 1);
  // Makes such calls wait from now on, until Release of the same calls.
  void Hold(const Calls& calls);
  void Release(const Calls& calls);
  // Drops the faults of this section not used yet and releases held calls.
  void ForgetFaults(const GroupVersionResource& gvr);

  // --- Reads of the past.

  // Answers gets and lists of the resource from its current state, until Thaw. Watches are not
  // affected: they deliver changes since. Replaces an earlier freeze.
  StatusTask Freeze(GroupVersionResource gvr);
  void Thaw(const GroupVersionResource& gvr);
  // Answers the next watch that begins at a resourceVersion, and the next continuation of a paged
  // list, with 410 Expired, each once.
  void Expire(const GroupVersionResource& gvr);

  // --- Running watches.

  // Makes all running watches fail with `error`, or end cleanly; their unread events are lost. A
  // Kubernetes Status as payload makes the error an ERROR event.
  void BreakWatches(const GroupVersionResource& gvr,
                    absl::Status error = absl::UnavailableError("connection reset"));
  void CloseWatches(const GroupVersionResource& gvr);

  // --- Records of calls.

  // Returns the number of calls begun, failed ones included.
  int calls(const Calls& calls) const;
  // Returns the same as FaultScript::last_user.
  std::optional<UserInfo> last_user(const Calls& calls) const;
  size_t running_watches(const GroupVersionResource& gvr) const;

  Task<RawObject> Get(const GroupVersionResource& gvr, const NamespacedName& name) override;
  Task<ListPage> List(const GroupVersionResource& gvr, const ListOptions& options) override;
  Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource& gvr,
                                          const WatchOptions& options) override;
  Task<std::vector<ApiResource>> Discover(const GroupVersion& gv) override;
  Task<std::vector<GroupVersion>> DiscoverGroups() override;
  // The result may outlive this object.
  std::unique_ptr<Client> As(const UserInfo& user) override;

 protected:
  Task<boost::json::value> Write(ClientWrite write) override;

 private:
  struct State;

  HookClient(std::unique_ptr<Client> inner, const HookClient& same, UserInfo user);

  // Makes the call as the script and the hooks decide. REQUIRES: `made` has not begun.
  template <typename T>
  Task<T> Make(HookedCall call, Task<T> made);
  Task<RawObject> Read(const GroupVersionResource& gvr, const NamespacedName& name);
  Task<ListPage> ReadList(const GroupVersionResource& gvr, const ListOptions& options);

  const std::unique_ptr<Client> own_inner_;  // set in a client that As has made
  FaultScript script_;
  Hooks* const hooks_;  // null = none
  std::shared_ptr<State> state_;
  const std::optional<UserInfo> user_;  // the user as which calls are made
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_HOOK_CLIENT_H_
