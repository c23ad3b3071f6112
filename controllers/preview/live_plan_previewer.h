// Makes live previews by dry runs on a cluster. Lives on one executor.
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
  bool optional_manifests = false;  // the feature gate
  // False in a server without authorization, where everybody may do everything. Then the client
  // `requesters` itself tries the steps of a bundle.
  bool impersonates = true;
  PlanDryRunLimits limits = {};
};

// Its clients cannot write, which the types ensure. The rules (PreviewOf) conclude about plans that
// have ended, are being deleted or cannot be executed, and about steps that have ended. All other
// steps are tried (PlanDryRun).
class LivePlanPreviewer final : public PlanPreviewer {
 public:
  // `own` has the rights of the executor. `requesters` may impersonate the users who preview a
  // bundle; nullopt: such previews are off. REQUIRES: the clients' own and `clock` outlive this
  // object and its calls.
  LivePlanPreviewer(kube::DryRunClient own, std::optional<kube::DryRunClient> requesters,
                    Clock& clock, const LivePreviewOptions& options);

  Task<LivePreview> PreviewPlan(kube::NamespacedName plan, StepPace pace = nullptr) override;
  // Also fails with 403 for requesters that are never impersonated (system:masters), unless
  // `impersonates` is false.
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
