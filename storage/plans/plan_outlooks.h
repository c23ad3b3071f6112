// The outlooks on the InstallPlans of a World, remembered between Worlds. Thread-safe.
#ifndef STORAGE_PLANS_PLAN_OUTLOOKS_H_
#define STORAGE_PLANS_PLAN_OUTLOOKS_H_

#include <map>
#include <memory>

#include "kube/meta/names.h"
#include "olm/preview/plan_outlook.h"
#include "storage/plans/plan_world.h"
#include "storage/world/world.h"
#include "storage/world/world_memory.h"

namespace steward::storage {

// One outlook for each InstallPlan.
using PlanOutlookMap = std::map<kube::NamespacedName, std::shared_ptr<const olm::PlanOutlook>>;
using PlanOutlookMapPtr = std::shared_ptr<const PlanOutlookMap>;

// Memory: one pointer per InstallPlan for each remembered World.
class PlanOutlooks {
 public:
  // A pure function of the World's objects, so that all replicas agree at all times. Never null.
  // Worlds with the same objects mostly share one map. Two maps mostly share the outlooks that are
  // equal, so comparing them costs little. REQUIRES: the World is of kPlanSources.
  PlanOutlookMapPtr Of(const WorldPtr& world) { return memory_.Of(PlanWorld::Of(world)); }

 private:
  struct Basis {
    PlanWorldPtr world;
    PlanOutlookMapPtr map;
  };

  static bool SameObjects(const PlanWorld& a, const PlanWorld& b);
  static std::shared_ptr<const Basis> Compute(const PlanWorldPtr& world, const Basis* before);

  WorldMemory<Basis> memory_{&SameObjects, &Compute};
};

}  // namespace steward::storage

#endif  // STORAGE_PLANS_PLAN_OUTLOOKS_H_
