// The live preview by dry runs on a cluster. Lives on one executor.
#ifndef CONTROLLERS_PREVIEW_LIVE_PLAN_PREVIEWER_H_
#define CONTROLLERS_PREVIEW_LIVE_PLAN_PREVIEWER_H_

#include <optional>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/preview/plan_dry_run.h"
#include "controllers/preview/plan_previewer.h"
#include "kube/client/rest_mapper.h"
#include "kube/dry_run/dry_run_client.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "olm/plan/install_plan.h"

namespace steward::controllers {

struct LivePreviewOptions {
  bool optional_manifests = false;  // the gate
  // False where there are no rights, and whoever asks may do everything: the steps of a bundle are
  // tried by the client `requesters` itself.
  bool impersonates = true;
  PlanDryRunLimits limits = {};
};

// Holds clients that can write nothing, and takes no others. What the executor of InstallPlans
// does not do is taken from the rules (PreviewOf): of plans that have ended, are being deleted or
// cannot be executed, and of steps that have ended. The rest is tried (PlanDryRun).
class LivePlanPreviewer final : public PlanPreviewer {
 public:
  // `own` has the rights of the executor; `requesters` those to impersonate whoever asks for the
  // preview of a bundle, or is not there, and such previews are off. REQUIRES: the clients' own and
  // `clock` outlive this object and its calls.
  LivePlanPreviewer(kube::DryRunClient own, std::optional<kube::DryRunClient> requesters,
                    Clock& clock, const LivePreviewOptions& options);

  Task<LivePreview> PreviewPlan(kube::NamespacedName plan, StepPace pace = nullptr) override;
  // 403 also for requesters as whom no client acts (system:masters), unless nobody is impersonated.
  Task<LivePreview> PreviewBundle(BundleContent bundle, kube::UserInfo requester,
                                  StepPace pace = nullptr) override;

 private:
  Task<LivePreview> Plan(kube::NamespacedName name, StepPace pace);
  Task<LivePreview> Bundle(BundleContent bundle, kube::UserInfo requester, StepPace pace);

  kube::DryRunClient own_;
  std::optional<kube::DryRunClient> requesters_;
  Clock& clock_;
  const LivePreviewOptions options_;
  kube::RestMapper mapper_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_LIVE_PLAN_PREVIEWER_H_
