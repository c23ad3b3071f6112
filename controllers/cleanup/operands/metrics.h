// The metrics of running cleanups. Not thread-safe.
#ifndef CONTROLLERS_CLEANUP_OPERANDS_METRICS_H_
#define CONTROLLERS_CLEANUP_OPERANDS_METRICS_H_

#include <prometheus/registry.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// Reasons why pending operands are polled.
inline constexpr char kWatchStarting[] = "Starting";
inline constexpr char kWatchFailed[] = "Failed";
inline constexpr char kTooManyWatches[] = "TooManyWatches";

// An operand that has been pending for longest, and the finalizers that hold it.
struct OldestOperand {
  std::string resource;  // "widgets.example.com"
  kube::NamespacedName name;
  std::string finalizers;  // comma-separated
  double deleted_at = 0;   // Unix seconds
};

// Series: steward_cleanup_pending_operands{namespace,name},
// steward_cleanup_stalled{namespace,name,reason} (1 while stalled),
// steward_cleanup_oldest_operand_deleted_seconds{namespace,name,resource,
// operand_namespace,operand,finalizers} (three for each cleanup at most),
// steward_cleanup_reported_failure{namespace,name,message} (1 while the operator reports one; the
// message is cut), of ClusterServiceVersions being uninstalled;
// steward_cleanup_polled{namespace,name,reason} (1 while a cleanup waits without a working watch),
// steward_cleanup_operand_watches; steward_cleanup_sweep_failing (1 while the last sweep of rights
// was incomplete); steward_cleanup_unconfirmed_opt_ins;
// steward_cleanup_deletions_total{result=accepted|denied|other},
// steward_cleanup_finished_total{result=completed|refused|abandoned|aborted}, and the histogram
// steward_cleanup_guard_read_seconds; steward_cleanup_copies_known. Series of a cleanup end with
// it.
class CleanupMetrics {
 public:
  // REQUIRES: `registry` outlives this object.
  explicit CleanupMetrics(prometheus::Registry& registry);
  ~CleanupMetrics();

  void SetPending(const kube::NamespacedName& csv, size_t count);
  // `reason` "" = the cleanup is not stalled.
  void SetStalled(const kube::NamespacedName& csv, const std::string& reason,
                  const std::vector<OldestOperand>& oldest);
  // `reason` "" = no polling: all pending operands are watched, or nothing is pending.
  void SetPolled(const kube::NamespacedName& csv, const std::string& reason);
  void SetOperandWatches(size_t streams);
  void SetSweepFailing(bool failing);
  // Counts also operators that are not being uninstalled.
  void SetUnconfirmedOptIns(size_t count);
  // `message` is the operator's reason why it cannot finish; "" = none.
  void SetReported(const kube::NamespacedName& csv, const std::string& message);
  void Forget(const kube::NamespacedName& csv);
  // Ends the series of all cleanups, because another process may report them from now on.
  void ForgetAll();

  // Records whether every ClusterServiceVersion with OLM's label of copies has been read. Before
  // that, no cleanup is decided.
  void SetCopiesKnown(bool known);
  // Records the duration of one reading of a cleanup's guards.
  void ObserveGuards(absl::Duration took);
  void CountDeletions(size_t accepted, size_t denied, size_t other);
  void CountFinished(const std::string& result);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPERANDS_METRICS_H_
