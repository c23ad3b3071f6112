// A client in front of another, that misbehaves on command: what may happen between a program and
// an API server, made to happen.
//
//   FaultClient client(store, clock);
//   client.FailNext({ClientVerb::kUpdate, kWidgets}, kube::ToStatus(kube::Timeout("busy", 1)));
//   client.LoseNext({ClientVerb::kCreate, kWidgets, "a"});
#ifndef KUBE_TESTING_FAULT_CLIENT_H_
#define KUBE_TESTING_FAULT_CLIENT_H_

#include <boost/json/value.hpp>
#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/testing/fault_script.h"

namespace steward::kube {

// Faults come in the order of fault_script.h. A call that fails by the script never reaches the
// inner client.
//
// Thread-safe. The callers' executors must run one handler at a time.
class FaultClient : public Client {
 public:
  // REQUIRES: `inner` and `clock` outlive the client, its calls and its watches.
  FaultClient(Client& inner, Clock& clock);
  // REQUIRES: no call is running; watches may outlive the client.
  ~FaultClient() override;

  // --- Single calls.

  // The next `times` such calls fail with `error`; OK lets them through, to count up to a later
  // fault.
  void FailNext(const Calls& calls, absl::Status error, int times = 1);
  // The next `times` such calls are made, and end as kUnavailable whatever came of them.
  void LoseNext(const Calls& calls, int times = 1);
  // The next `times` such calls begin `delay` later.
  void DelayNext(const Calls& calls, absl::Duration delay, int times = 1);
  // Such calls wait from now on until Release of the same.
  void Hold(const Calls& calls);
  void Release(const Calls& calls);
  // Drops the faults of this section not used up yet and releases what is held.
  void ForgetFaults(const GroupVersionResource& gvr);

  // --- Reads of the past.

  // Gets and lists of the resource are answered from what is there now, until Thaw. Watches are
  // not: they tell what happens since. Replaces an earlier freeze.
  StatusTask Freeze(GroupVersionResource gvr);
  void Thaw(const GroupVersionResource& gvr);
  // The next watch that begins at a resourceVersion, and the next continuation of a paged list, are
  // each answered with 410 Expired, once.
  void Expire(const GroupVersionResource& gvr);

  // --- Running watches.

  // All that run fail with `error`, or end cleanly; what they had not read is lost. A Kubernetes
  // Status as payload makes it an ERROR event.
  void BreakWatches(const GroupVersionResource& gvr,
                    absl::Status error = absl::UnavailableError("connection reset"));
  void CloseWatches(const GroupVersionResource& gvr);

  // --- What was asked.

  // Calls begun, failed ones too.
  int calls(const Calls& calls) const;
  size_t running_watches(const GroupVersionResource& gvr) const;

  Task<RawObject> Get(const GroupVersionResource& gvr, const NamespacedName& name) override;
  Task<ListPage> List(const GroupVersionResource& gvr, const ListOptions& options) override;
  Task<std::unique_ptr<Watch>> StartWatch(const GroupVersionResource& gvr,
                                          const WatchOptions& options) override;
  Task<boost::json::value> Create(const GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const WriteOptions& options) override;
  Task<boost::json::value> Update(const GroupVersionResource& gvr, const boost::json::value& object,
                                  const WriteOptions& options) override;
  Task<boost::json::value> Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                                 PatchType type, const boost::json::value& patch,
                                 const WriteOptions& options) override;
  Task<boost::json::value> Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                                  const DeleteOptions& options) override;

 private:
  struct State;
  Client& inner_;
  FaultScript script_;
  std::shared_ptr<State> state_;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_FAULT_CLIENT_H_
