// The virtual resource planpreviews, with a preview of each InstallPlan. It is computed on each
// read from watched objects and is not stored. Thread-safe.
#ifndef APISERVER_VIEWS_PLAN_PREVIEW_PLAN_PREVIEW_H_
#define APISERVER_VIEWS_PLAN_PREVIEW_PLAN_PREVIEW_H_

#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/reviewer.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "base/clock/clock.h"
#include "storage/plans/plan_outlooks.h"
#include "storage/world/world_store.h"

namespace steward::views {

// Memory per read is O(InstallPlans).
class PlanPreviews {
 public:
  // `optional_manifests` says whether the executor of InstallPlans has this feature gate on
  // (R-002-55). REQUIRES: the arguments outlive this object; `worlds` are of kPlanSources.
  PlanPreviews(storage::WorldStore& worlds, storage::PlanOutlooks& outlooks,
               bool optional_manifests, const Clock& clock, VirtualResourceOptions options = {});

  // Returns the resource; no verb of it writes. REQUIRES: this object and `creation`, the verb
  // create, outlive the result.
  rest::Resource Resource(rest::Reviewer& creation);

  VirtualResource& reads() { return reads_; }

 private:
  VirtualResource reads_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_PLAN_PREVIEW_H_
