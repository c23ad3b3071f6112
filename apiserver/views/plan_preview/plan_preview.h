// The virtual resource planpreviews: what would become of each InstallPlan, computed on each read
// from watched objects and stored nowhere. Thread-safe.
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
  // `optional_manifests` says whether whoever executes InstallPlans has this feature gate on
  // (R-002-55). REQUIRES: the arguments outlive this object; `worlds` are of kPlanSources.
  PlanPreviews(storage::WorldStore& worlds, storage::PlanOutlooks& outlooks,
               bool optional_manifests, const Clock& clock, VirtualResourceOptions options = {});

  // The result refers to this object, and to `creation`, the verb create, which outlives it. It has
  // no verb that writes.
  rest::Resource Resource(rest::Reviewer& creation);

  VirtualResource& reads() { return reads_; }

 private:
  VirtualResource reads_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_PLAN_PREVIEW_PLAN_PREVIEW_H_
