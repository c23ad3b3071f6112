// The list of the virtual resources that Steward serves. Thread-safe.
#ifndef CMD_STEWARD_VIRTUAL_API_H_
#define CMD_STEWARD_VIRTUAL_API_H_

#include <functional>
#include <vector>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/upstream/pending_operands.h"
#include "apiserver/upstream/previews.h"
#include "apiserver/views/virtual_resource/virtual_resource.h"
#include "base/clock/clock.h"
#include "cmd/steward/cluster_worlds.h"

namespace steward {

// Everything that a view may be computed from. The references outlive the resources.
struct ViewDeps {
  ClusterWorlds& worlds;  // of OperatorSources
  ClusterWorlds& plans;   // of PlanSources
  Clock& clock;
  upstream::PendingOperands& pending_operands;
  upstream::Previews& previews;
  // True if the controllers that execute InstallPlans have the feature gate OptionalManifests on.
  bool optional_manifests = false;
};

// The options with which each view reads its Worlds. REQUIRES: `worlds` outlives the view.
views::VirtualResourceOptions ReadOptions(ClusterWorlds& worlds);

// Makes a virtual resource. The resource keeps alive the objects that serve it
// (rest::Resource::owner).
using View = std::function<rest::Resource(const ViewDeps&)>;

// The views in the order in which discovery lists them.
const std::vector<View>& KnownViews();

// The resources of `views`. They are thread-safe, as is everything that they refer to.
std::vector<rest::Resource> VirtualResources(const ViewDeps& deps,
                                             const std::vector<View>& views = KnownViews());

}  // namespace steward

#endif  // CMD_STEWARD_VIRTUAL_API_H_
