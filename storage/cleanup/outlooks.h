// The outlooks on cleanup of a World's operators, remembered between Worlds. Thread-safe.
#ifndef STORAGE_CLEANUP_OUTLOOKS_H_
#define STORAGE_CLEANUP_OUTLOOKS_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kube/meta/names.h"
#include "olm/cleanup/outlook.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/world/ordered_map.h"
#include "storage/world/world.h"
#include "storage/world/world_memory.h"

namespace steward::storage {

// One outlook for each ClusterServiceVersion that is no copy.
using OutlookMap = std::map<kube::NamespacedName, std::shared_ptr<const olm::CleanupOutlook>>;
using OutlookMapPtr = std::shared_ptr<const OutlookMap>;

// Computes outlooks, and remembers those of the last few Worlds, because most readers ask for the
// same World, and only few outlooks change from one World to the next. Memory: one pointer per
// operator for each remembered World, and the inputs of the newest World's outlooks.
class CleanupOutlooks {
 public:
  // A pure function of the World's objects, so that all replicas agree at all times. Never null.
  // Worlds with the same objects mostly share one map. Two maps mostly share the outlooks that are
  // equal, so comparing them costs little. REQUIRES: the World is of kOperatorSources.
  OutlookMapPtr Of(const WorldPtr& world) { return memory_.Of(OperatorWorld::Of(world)); }

 private:
  using Users = std::map<std::string, std::shared_ptr<const olm::CrdUsers>, std::less<>>;
  using Replacers =
      std::map<kube::NamespacedName, std::shared_ptr<const std::vector<kube::NamespacedName>>>;
  // Facts that depend on all ClusterServiceVersions together.
  struct Relations {
    Users users;          // by name of the definition
    Replacers replacers;  // by namespace and name of the replaced ClusterServiceVersion
  };
  struct Known {
    olm::OutlookInputs inputs;
    std::shared_ptr<const olm::CleanupOutlook> outlook;
  };
  using Selected = std::map<std::string, std::shared_ptr<const std::vector<std::string>>>;
  // All inputs of one map, and the map.
  struct Basis {
    OperatorWorldPtr world;
    std::shared_ptr<const Relations> relations;
    Selected selected;  // by install namespace
    std::map<kube::NamespacedName, Known> known;
    OutlookMapPtr map;
  };

  static bool SameObjects(const OperatorWorld& a, const OperatorWorld& b);
  static std::shared_ptr<const Relations> RelationsOf(const OperatorWorld& world,
                                                      const Relations* before);
  static Selected SelectedIn(const OperatorWorld& world, const Basis* before);
  static olm::OutlookInputs InputsFor(const OperatorWorld& world, const olm::CsvPtr& csv,
                                      const Relations& relations, const Selected& selected);
  static std::shared_ptr<const Basis> Compute(const OperatorWorldPtr& world, const Basis* before);

  WorldMemory<Basis> memory_{&SameObjects, &Compute};
};

}  // namespace steward::storage

#endif  // STORAGE_CLEANUP_OUTLOOKS_H_
