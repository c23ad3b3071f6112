// The interface for live previews of InstallPlans and bundles, which ask the cluster what each step
// would do now. Implementations live on one executor.
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
  // All steps, including those that the requester may not see. A step's message never names the
  // object of another step.
  olm::PlanPreview preview;
  // The resource of each step, by which its visibility is decided. Nullopt: the cluster does not
  // serve the kind. "*": the resource is unknown, so only users who may see everything see the
  // step.
  std::vector<std::optional<kube::GroupVersionResource>> resources;
};

// Awaited before each dry run of a preview; null: no wait.
using StepPace = std::function<VoidTask()>;

// Previews change nothing: each write has dryRun=All. Errors carry a Kubernetes Status.
// Cancellable.
class PlanPreviewer {
 public:
  virtual ~PlanPreviewer() = default;
  // Previews the steps as the executor would write them, with its identity. 404: no such plan.
  virtual Task<LivePreview> PreviewPlan(kube::NamespacedName plan, StepPace pace = nullptr) = 0;
  // Previews the steps of an InstallPlan for the bundle. All reads and tries are done as
  // `requester`. 400: not a bundle (olm/plan/bundle.h). 403: this user is never impersonated
  // (system:masters). 503: previews of bundles are off.
  virtual Task<LivePreview> PreviewBundle(BundleContent bundle, kube::UserInfo requester,
                                          StepPace pace = nullptr) = 0;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_PREVIEW_PLAN_PREVIEWER_H_
