// The reconciler "olm-config", which reports the effect of the cluster-admin's choice about copies.
// Lives on one executor.
#ifndef CONTROLLERS_OLM_CONFIG_OLM_CONFIG_H_
#define CONTROLLERS_OLM_CONFIG_OLM_CONFIG_H_

#include <prometheus/gauge.h>
#include <prometheus/registry.h>

#include <cstddef>
#include <optional>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "controllers/copies/copy_state.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/olm_config/disabled_notices.h"
#include "controllers/runtime/compact_index.h"
#include "controllers/runtime/reconciler.h"
#include "controllers/runtime/reconciler_deps.h"
#include "olm/config/olm_config.h"

namespace steward::controllers {

struct OlmConfigMetrics {
  // REQUIRES: `registry` outlives this object.
  explicit OlmConfigMetrics(prometheus::Registry& registry);

  prometheus::Gauge& unwanted;  // steward_copied_csvs_unwanted
};

// Copies are made and deleted by the reconciler "copied-csvs", which follows the OLMConfig by
// itself. This reconciler only reports: in the condition DisabledCopiedCSVs of the OLMConfig
// `cluster`, and in the Events of DisabledNotices. The condition has OLM's words, but compares
// sets, so that an unexpected copy never hides a missing one. Writes to no other OLMConfig, and
// creates none.
//
// There are two keys, one for the condition and one for the Events. Each is handled at most once a
// second.
class OlmConfigReconciler : public Reconciler {
 public:
  // REQUIRES: the references in `deps`, `metrics` and `copy_state` outlive this object.
  OlmConfigReconciler(const ReconcilerDeps& deps, OlmConfigMetrics& metrics, CopyState& copy_state,
                      CopyToggleDefaults defaults);
  ~OlmConfigReconciler() override;

  VoidTask Feed(WorkQueue& queue) override;
  Task<ReconcileResult> Reconcile(Key key) override;

 private:
  VoidTask FollowBoard(WorkQueue& queue);
  VoidTask FollowOperators(WorkQueue& queue);

  // The copies compared with the choice as followed; nullopt while they are not known.
  Task<std::optional<olm::CopiesState>> Compare();
  Task<ReconcileResult> BringCondition();
  Task<ReconcileResult> BringNotices();

  const ReconcilerDeps deps_;
  OlmConfigMetrics& metrics_;
  CopyState& copy_state_;
  CopyToggle toggle_;
  DisabledNotices notices_;

  bool config_told_ = true;                    // the OLMConfig may have changed
  std::optional<olm::CopiesState> condition_;  // as it was written last
  size_t unexplained_ = 0;                     // as logged last
  std::optional<ContentDigest> noticed_;       // the notices that were written last
  absl::Duration notices_due_;  // monotonic; when to write them again, as Events expire
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OLM_CONFIG_OLM_CONFIG_H_
