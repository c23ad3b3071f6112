// The reconciler "apiservice-guard", which creates the APIService, and deletes it while nobody
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
  bool on = true;  // off: withdraws nothing, and restores an APIService that it withdrew
  absl::Duration grace = absl::Minutes(2);
  CaSource ca;
  // The namespace of `wanted` is also that of the record.
  WantedRegistration wanted;
};

// Series: steward_apiservice_withdrawn (1 while the APIService is withdrawn because nobody serves
// it), and steward_apiservice_withdrawals_total. Thread-safe.
struct GuardMetrics {
  // REQUIRES: `registry` outlives this object.
  explicit GuardMetrics(prometheus::Registry& registry);

  prometheus::Gauge& withdrawn;
  prometheus::Counter& withdrawals;
};

// There is one key. The guard handles it every five seconds, and whenever the APIService changes.
// While an APIService is unavailable, no namespace of the cluster can be deleted (R-004-44,
// R-004-46). So the APIService exists only while somebody serves it: the guard creates it once a
// replica answers with a certificate of the authority. Once the kube-apiserver has found it
// unavailable for most of the grace period, the guard deletes it, and creates the same object again
// once a replica answers:
//
//   record what is there ─► delete it, as it is recorded ─► wait ─► create it ─► forget the record
//
// Only the kube-apiserver's condition decides that the APIService is withdrawn, because a server
// that the kube-apiserver cannot reach or does not trust does harm even if its replicas are well.
// The guard's own probe tells since when nobody answers, up to half a minute before the
// kube-apiserver noticed it, and when somebody answers again. An APIService that the guard reaches
// and the kube-apiserver does not is restored after twenty minutes, and if it is unavailable again
// soon, after forty, up to six hours. All times are the kube-apiserver's.
//
// An APIService that somebody else creates while it is withdrawn is deleted at once, unless a
// replica answers. The owner of the guard's APIService is the guard's ClusterRole, so the garbage
// collector deletes it when Steward's manifests are deleted, in any order. While Steward's
// namespace is being deleted, the guard creates nothing, and ApiServiceRemoval deletes the
// APIService.
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
  // Asks the replicas, and notes in silent_since_ since when nobody answers.
  Task<ReplicaAnswer> Probe(const ServiceTarget& target, absl::Time now);
  // Makes the guard's role the owner. If that is forbidden, reports it and goes on.
  StatusTask Adopt(const Registration& registration);
  // The UID of the guard's ClusterRole; "" if the role does not exist.
  Task<std::string> OwnerUid();
  // Updates the record by the state of the APIService. Returns true if the APIService's
  // availability is to be judged now.
  Task<bool> Follow(const Registration& registration, const ServiceTarget& target, absl::Time now,
                    WithdrawalRecord& record);
  // As Follow, for an APIService that exists although it was withdrawn.
  Task<bool> FollowReturned(const Registration& registration, const ServiceTarget& target,
                            absl::Time now, WithdrawalRecord& record);
  StatusTask Delete(const Registration& registration);
  StatusTask Withdraw(const boost::json::value& object, const Registration& registration,
                      absl::Time now, WithdrawalRecord& record);
  // The object to create: the withdrawn one, or terms_.wanted, with the current authority.
  Task<boost::json::value> NextRegistration(const WithdrawalRecord& record);
  StatusTask Restore(boost::json::value object, WithdrawalRecord& record);
  StatusTask RestoreManagers(const WithdrawalRecord& record);
  StatusTask PatchMetadata(boost::json::object metadata);
  // Deletes the record. REQUIRES: the record exists.
  StatusTask Forget(WithdrawalRecord& record);
  StatusTask Store(WithdrawalRecord& record, WithdrawalRecord::Phase phase, const std::string& uid);
  // The time since when the APIService does harm, as far as is known. REQUIRES: unavailable_since_
  // is known.
  absl::Time DownSince(const Registration& registration) const;
  void ForgetUnavailable();
  void Tell(const WithdrawalRecord& about, EventType type, std::string_view reason,
            std::string_view message);
  // As Tell, but only once for each term of leadership and reason.
  void TellOnce(std::string_view reason, std::string_view message);

  const ReconcilerDeps deps_;
  GuardMetrics& metrics_;
  ReplicaDialer& dialer_;
  const GuardTerms terms_;
  std::optional<absl::Time> silent_since_;  // by the guard's probe; kube-apiserver's clock
  // Since when no look has found the APIService available, and how many looks have found it
  // unavailable. Creating it anew does not reset these.
  std::optional<absl::Time> unavailable_since_;
  int seen_unavailable_ = 0;
  std::set<std::string> told_;  // reasons
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_APISERVICE_GUARD_H_
