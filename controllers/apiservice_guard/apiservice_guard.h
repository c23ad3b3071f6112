// The reconciler "apiservice-guard", which registers the APIService, and withdraws it while nobody
// serves it. Lives on one executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_APISERVICE_GUARD_H_
#define CONTROLLERS_APISERVICE_GUARD_APISERVICE_GUARD_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/apiservice_guard/ca_source.h"
#include "controllers/apiservice_guard/registration.h"
#include "controllers/apiservice_guard/replica_probe.h"
#include "controllers/apiservice_guard/withdrawal_record.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward::controllers {

// The settings that the flags make.
struct GuardTerms {
  bool on = true;  // off: it withdraws nothing, and restores what it withdrew
  absl::Duration grace = absl::Minutes(2);
  CaSource ca;
  // The namespace of `wanted` is also that of the record.
  WantedRegistration wanted;
};

// Series: steward_apiservice_withdrawn (1 while there is none, as nobody serves it), and
// steward_apiservice_withdrawals_total. Thread-safe.
struct GuardMetrics {
  // REQUIRES: `registry` outlives this object.
  explicit GuardMetrics(prometheus::Registry& registry);

  prometheus::Gauge& withdrawn;
  prometheus::Counter& withdrawals;
};

// One key: a look, every five seconds, and whenever the APIService changes. While an APIService is
// unavailable no namespace of the cluster can be deleted (R-004-44, R-004-46). So there is one only
// while somebody serves it: it is created once a replica answers with a certificate that the
// authority proves. Once the kube-apiserver has found it unavailable for most of the grace period,
// the guard deletes it, and creates it again, the same, once a replica answers:
//
//   record what is there ─► delete it, as it is recorded ─► wait ─► create it ─► forget the record
//
// The kube-apiserver's condition alone decides that it is withdrawn: what it cannot reach, or does
// not trust, does the harm, whether replicas are well or not. The guard's own probe says since when
// nobody answers, up to half a minute before the kube-apiserver noticed, and when somebody does
// again. An APIService that the guard reaches and the kube-apiserver does not is restored after
// twenty minutes, and if it is unavailable again soon, after forty, up to six hours. All times are
// the kube-apiserver's.
//
// An APIService that somebody else creates while it is withdrawn is deleted at once, unless a
// replica answers. Its owner is the guard's ClusterRole: when Steward's manifests are deleted, in
// any order, the garbage collector deletes it. In a namespace that is being deleted nothing is
// registered, and ApiServiceRemoval takes it along.
class ApiServiceGuard : public Reconciler {
 public:
  // REQUIRES: the references, and those in `deps`, outlive this object.
  ApiServiceGuard(const ReconcilerDeps& deps, GuardMetrics& metrics, ReplicaDialer& dialer,
                  const GuardTerms& terms);

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  StatusTask Look();
  StatusTask LookAt(const boost::json::value& object, WithdrawalRecord& record);
  StatusTask LookForReplicas(WithdrawalRecord& record);
  // Notes since when nobody answers.
  Task<ReplicaAnswer> Probe(const ServiceTarget& target, absl::Time now);
  // Makes the guard's role the owner. If it may not, it reports that, and guards all the same.
  StatusTask Adopt(const Registration& registration);
  // The UID of the guard's ClusterRole; "" where there is none.
  Task<std::string> OwnerUid();
  // Brings the record up to what has become of the APIService. Returns whether it is now to be
  // judged by whether it is available.
  Task<bool> Follow(const Registration& registration, const ServiceTarget& target, absl::Time now,
                    WithdrawalRecord& record);
  // Follows an APIService that exists though it was withdrawn.
  Task<bool> FollowReturned(const Registration& registration, const ServiceTarget& target,
                            absl::Time now, WithdrawalRecord& record);
  StatusTask Delete(const Registration& registration);
  StatusTask Withdraw(const boost::json::value& object, const Registration& registration,
                      absl::Time now, WithdrawalRecord& record);
  // The object to create: the one that was withdrawn, or the wanted one, with the authority of this
  // moment.
  Task<boost::json::value> NextRegistration(const WithdrawalRecord& record);
  StatusTask Restore(boost::json::value object, WithdrawalRecord& record);
  StatusTask RestoreManagers(const WithdrawalRecord& record);
  StatusTask PatchMetadata(boost::json::object metadata);
  // Deletes the record. REQUIRES: there is one.
  StatusTask Forget(WithdrawalRecord& record);
  StatusTask Store(WithdrawalRecord& record, WithdrawalRecord::Phase phase, const std::string& uid);
  // Since when the APIService does harm, as far as is known. REQUIRES: unavailable_since_ is known.
  absl::Time DownSince(const Registration& registration) const;
  void ForgetUnavailable();
  void Tell(const WithdrawalRecord& about, EventType type, std::string_view reason,
            std::string_view message);
  // Once for each term of leadership and reason.
  void TellOnce(std::string_view reason, std::string_view message);

  const ReconcilerDeps deps_;
  GuardMetrics& metrics_;
  ReplicaDialer& dialer_;
  const GuardTerms terms_;
  std::optional<absl::Time> silent_since_;  // by its own probe, by the kube-apiserver's clock
  // Since when no look has found it available, and how often one has found it unavailable. Making
  // it anew, again and again, does not reset these.
  std::optional<absl::Time> unavailable_since_;
  int seen_unavailable_ = 0;
  std::set<std::string> told_;  // reasons
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_APISERVICE_GUARD_H_
