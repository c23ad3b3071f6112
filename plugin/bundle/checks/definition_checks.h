// The faults that an API server, or an upgrade, finds in the definitions of a bundle. Pure
// functions.
#ifndef PLUGIN_BUNDLE_CHECKS_DEFINITION_CHECKS_H_
#define PLUGIN_BUNDLE_CHECKS_DEFINITION_CHECKS_H_

#include "olm/plan/definition_change.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"

namespace steward::plugin {

// Adds what no API server would accept. `definition` is `object`, decoded.
void CheckDefinition(const BundleObject& object, const olm::Definition& definition,
                     Findings& findings);

// Adds what an upgrade from `previous` cannot do: changes that no API server allows, and a version
// that is not newer.
void CheckUpgrade(const BundleFolder& bundle, const BundleFolder& previous, Findings& findings);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_CHECKS_DEFINITION_CHECKS_H_
