// The rule by which operators appear in namespaces: the function behind every installedoperators
// answer (R-004-43, R-PRJ-06). Pure functions.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_PROJECTION_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_PROJECTION_H_

#include <optional>
#include <string>
#include <vector>

#include "olm/objects.h"
#include "olm/targets.h"
#include "storage/operators/operator_world.h"
#include "storage/world/number.h"

namespace steward::views {

// One ClusterServiceVersion as it appears in one namespace. Borrows from the World.
struct Appearance {
  const olm::Csv* csv = nullptr;
  const olm::Namespace* ns = nullptr;
  // The OperatorGroup in force in the install namespace; null when that has none, or several.
  const storage::EffectiveGroup* group = nullptr;
  bool own = false;       // seen from its install namespace
  bool targeted = false;  // the group targets this namespace
  // Other ClusterServiceVersions of the same name that reach this namespace, too. `csv` hides them.
  // They are in the order in which they would take its place.
  std::vector<const olm::Csv*> hidden;
};

// A ClusterServiceVersion appears in its own namespace, and, if OLM would copy it and its
// OperatorGroup is the only one there, in each namespace which that group targets. Copies never
// appear. If several of the same name reach a namespace, only the winner appears (olm::WinsIn).
// None appears in a namespace whose Namespace object is unknown.

// All appearances in `ns`, sorted by name.
std::vector<Appearance> AppearancesIn(const storage::OperatorWorld& world, const std::string& ns);
// The appearance of the name `name`, or nullopt.
std::optional<Appearance> FindAppearance(const storage::OperatorWorld& world, const std::string& ns,
                                         const std::string& name);

// The mode in which the operator runs; nullopt when no group in force gives it targets.
std::optional<olm::InstallMode> InstallModeOf(const Appearance& seen);

// The appearance's own number. It depends only on what etcd holds. So every replica, whenever it
// started, returns the same number until an input is written or something visible changes. nullopt
// if `seen` hides others, because a hidden one can vanish without a trace; and if the revision at
// which an input was written is unknown.
std::optional<storage::Number> OwnNumber(const Appearance& seen);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_PROJECTION_H_
