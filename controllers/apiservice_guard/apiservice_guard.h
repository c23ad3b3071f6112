// The reconciler "apiservice-guard", which withdraws an APIService that nobody serves. Lives on one
// executor.
#ifndef CONTROLLERS_APISERVICE_GUARD_APISERVICE_GUARD_H_
#define CONTROLLERS_APISERVICE_GUARD_APISERVICE_GUARD_H_

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <boost/json/value.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/apiservice_guard/registration.h"
#include "controllers/apiservice_guard/replica_probe.h"
#include "controllers/apiservice_guard/withdrawal_record.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward::controllers {

// What the reconciler is told by its flags.
struct GuardTerms {
  bool on = true;  // off: it withdraws nothing, and restores what it withdrew
  absl::Duration grace = absl::Minutes(2);
  std::string ns = "steward-system";  // of the record
};

// Series: steward_apiservice_withdrawn (1 while the APIService is withdrawn), and
// steward_apiservice_withdrawals_total. Thread-safe.
struct GuardMetrics {
  // REQUIRES: `registry` outlives this object.
  explicit GuardMetrics(prometheus::Registry& registry);

  prometheus::Gauge& withdrawn;
  prometheus::Counter& withdrawals;
};

// One key: a look, every five seconds. While an APIService is unavailable no namespace of the
// cluster can be deleted (R-004-44, R-004-46). So, once the kube-apiserver has found it unavailable
// for most of the grace period, the guard deletes it, and creates it again, the same, once a
// replica answers:
//
//   record what is there ─► delete it, as it is recorded ─► wait ─► create it ─► forget the record
//
// The kube-apiserver's condition alone decides that it is withdrawn: what it cannot reach, or does
// not trust, does the harm, whether replicas are well or not. The guard's own probe says since when
// nobody answers, up to half a minute before the kube-apiserver noticed, and when somebody does
// again. What is unavailable again soon after it was restored is next restored after ten minutes,
// then twenty, up to six hours; so is what answers with a certificate that nobody would trust.
//
// An APIService that somebody else creates meanwhile is left alone until it has been available
// once.
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
  // Brings the record up to what has become of the APIService. Returns whether it is now to be
  // judged by whether it is available.
  Task<bool> Follow(const Registration& registration, WithdrawalRecord& record);
  StatusTask Withdraw(const boost::json::value& object, const Registration& registration,
                      WithdrawalRecord& record);
  StatusTask Restore(WithdrawalRecord& record);
  StatusTask RestoreManagers(const WithdrawalRecord& record);
  StatusTask Store(WithdrawalRecord& record, WithdrawalRecord::Phase phase, const std::string& uid);
  // Since when the APIService does harm, as far as is known.
  absl::Time DownSince(const Registration& registration) const;
  void Tell(const WithdrawalRecord& about, EventType type, std::string_view reason,
            std::string_view message);
  // Once for each term of leadership and reason.
  void TellOnce(std::string_view reason, std::string_view message);

  const ReconcilerDeps deps_;
  GuardMetrics& metrics_;
  ReplicaDialer& dialer_;
  const GuardTerms terms_;
  std::optional<absl::Time> silent_since_;  // by its own probe
  int seen_unavailable_ = 0;                // looks in a row that found the condition False
  std::set<std::string> told_;              // reasons
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_APISERVICE_GUARD_APISERVICE_GUARD_H_
