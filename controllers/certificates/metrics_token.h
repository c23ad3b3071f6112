// The reconciler "metrics-token", which keeps the token that Prometheus sends. Lives on one
// executor.
#ifndef CONTROLLERS_CERTIFICATES_METRICS_TOKEN_H_
#define CONTROLLERS_CERTIFICATES_METRICS_TOKEN_H_

#include <set>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/certificates/managed_secret.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"

namespace steward::controllers {

// The settings of the token, by the reconciler's flags.
struct MetricsTokenTerms {
  std::string ns = "steward-system";
  absl::Duration life = absl::Hours(24);
};

// There is one key, handled once a minute. While the ServiceAccount steward-metrics-reader exists,
// the Secret of the same name has its token (key `token`). The kube-apiserver issues the token,
// which expires by itself, and ends with the Secret. It is replaced at half of its life. A Secret
// that somebody else keeps is left alone.
class MetricsTokenReconciler : public Reconciler {
 public:
  // REQUIRES: the references in `deps` outlive this object.
  MetricsTokenReconciler(const ReconcilerDeps& deps, MetricsTokenTerms terms);

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  StatusTask Pass();
  // `account`: the UID of the ServiceAccount.
  StatusTask Replace(ManagedSecret& secret, const std::string& account);
  // Records a Warning, once for each term of leadership and Secret.
  void TellOnce(const ManagedSecret& about, std::string_view reason, std::string_view message);

  const ReconcilerDeps deps_;
  const MetricsTokenTerms terms_;
  std::set<std::string> told_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CERTIFICATES_METRICS_TOKEN_H_
