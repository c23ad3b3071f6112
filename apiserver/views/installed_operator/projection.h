// The rule by which operators appear in namespaces: the function behind every installedoperators
// answer (R-004-43, R-PRJ-06). Pure functions.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_PROJECTION_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_PROJECTION_H_

#include <optional>
#include <string>
#include <vector>

#include "olm/objects.h"
#include "storage/operators/operator_world.h"

namespace steward::views {

// One ClusterServiceVersion as it appears in one namespace. Borrows from the World.
struct Appearance {
  const olm::Csv* csv = nullptr;
  const olm::Namespace* ns = nullptr;
  // The OperatorGroup in force in the install namespace; null when that has none, or several.
  const storage::EffectiveGroup* group = nullptr;
  bool own = false;       // seen from its install namespace
  bool targeted = false;  // the group targets this namespace
  // Other ClusterServiceVersions of the same name that reach this namespace, too, and are hidden by
  // this one, in the order in which they would take its place.
  std::vector<const olm::Csv*> hidden;
};

// A ClusterServiceVersion appears in its own namespace, and, if OLM would copy it and its
// OperatorGroup is the only one there, in each namespace which that group targets. Copies never
// appear. Of several with one name one appears (olm::WinsIn). None appears in a namespace whose
// Namespace object is unknown.

// All appearances in `ns`, sorted by name.
std::vector<Appearance> AppearancesIn(const storage::OperatorWorld& world, const std::string& ns);
// The appearance of the name `name`, or nullopt.
std::optional<Appearance> FindAppearance(const storage::OperatorWorld& world, const std::string& ns,
                                         const std::string& name);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_PROJECTION_H_
