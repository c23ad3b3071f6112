// The World of InstallPlans: InstallPlans, CustomResourceDefinitions and OperatorGroups. Immutable
// once published, so thread-safe.
#ifndef STORAGE_PLANS_PLAN_WORLD_H_
#define STORAGE_PLANS_PLAN_WORLD_H_

#include <cassert>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/meta/names.h"
#include "olm/plan/plan_group.h"
#include "olm/preview/plan_facts.h"
#include "storage/world/ordered_map.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// The source set of PlanPreviews. Its order is that of the components in their numbers, which
// clients hold, so it never changes.
extern const SourceSet kPlanSources;
inline constexpr Source kInstallPlanSource{0};
inline constexpr Source kDefinitionSource{1};
inline constexpr Source kPlanGroupSource{2};

class PlanWorld;
using PlanWorldPtr = std::shared_ptr<const PlanWorld>;

// Memory is O(steps of all InstallPlans + definitions + groups), without manifests and schemas.
class PlanWorld final : public World {
 public:
  PlanWorld() : World(kPlanSources) {}
  PlanWorld(const PlanWorld&) = default;

  // Casts `world`. REQUIRES: it is of kPlanSources.
  static const PlanWorld& Of(const World& world) {
    assert(&world.set() == &kPlanSources);
    return static_cast<const PlanWorld&>(world);
  }
  static PlanWorldPtr Of(WorldPtr world) {
    assert(&world->set() == &kPlanSources);
    return std::static_pointer_cast<const PlanWorld>(std::move(world));
  }

  const OrderedMap<kube::NamespacedName, olm::PlanFactsPtr>& plans() const { return plans_; }
  // By name.
  const OrderedMap<std::string, olm::DefinitionFactsPtr>& definitions() const {
    return definitions_;
  }
  const OrderedMap<kube::NamespacedName, olm::PlanGroupPtr>& groups() const { return groups_; }

  size_t CountOf(Source source) const override;
  std::vector<kube::NamespacedName> KeysOf(Source source) const override;
  std::shared_ptr<World> Copy() const override;
  std::optional<ObjectPtr> Put(Source source, ObjectPtr object) override;
  std::optional<ObjectPtr> Drop(Source source, const kube::NamespacedName& key) override;

 private:
  OrderedMap<kube::NamespacedName, olm::PlanFactsPtr> plans_;
  OrderedMap<std::string, olm::DefinitionFactsPtr> definitions_;
  OrderedMap<kube::NamespacedName, olm::PlanGroupPtr> groups_;
};

}  // namespace steward::storage

#endif  // STORAGE_PLANS_PLAN_WORLD_H_
