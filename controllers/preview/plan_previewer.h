// The live preview of InstallPlans and bundles: what would become of each step now, asked of the
// cluster. Implementations live on one executor.
#ifndef CONTROLLERS_PREVIEW_PLAN_PREVIEWER_H_
#define CONTROLLERS_PREVIEW_PLAN_PREVIEWER_H_

#include <boost/json/object.hpp>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/meta/names.h"
#include "kube/meta/user_info.h"
#include "olm/preview/plan_outlook.h"

namespace steward::controllers {

// A bundle that would be installed in the namespace `ns`.
struct BundleContent {
  std::string ns;
  std::vector<boost::json::object> manifests;
  std::string properties;  // a JSON array of {"type", "value"}; "" = none
};

struct LivePreview {
  // All steps, also those that whoever asks may not see; no step's message tells of another's
  // object.
  olm::PlanPreview preview;
  // The resource of each step, as many as there are steps; nullopt where the cluster serves none,
  // and "*" where that could not be found out: for those who may see all.
  std::vector<std::optional<kube::GroupVersionResource>> resources;
};

// What each dry run of a preview waits for; null: for nothing.
using StepPace = std::function<VoidTask()>;

// Changes nothing: each write has dryRun=All. Errors carry a Kubernetes Status. Cancellable.
class PlanPreviewer {
 public:
  virtual ~PlanPreviewer() = default;
  // The steps as the executor would write them, with its identity. 404: no such plan.
  virtual Task<LivePreview> PreviewPlan(kube::NamespacedName plan, StepPace pace = nullptr) = 0;
  // The steps that an InstallPlan of the bundle would have, all of them read and tried as
  // `requester`. 400: no bundle (olm/plan/bundle.h); 403: nobody acts as this user
  // (system:masters); 503: bundles are not previewed here.
  virtual Task<LivePreview> PreviewBundle(BundleContent bundle, kube::UserInfo requester,
                                          StepPace pace = nullptr) = 0;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_PLAN_PREVIEWER_H_
