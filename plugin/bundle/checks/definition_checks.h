// The faults that an API server, or an upgrade, finds in the definitions of a bundle. Pure
// functions.
#ifndef PLUGIN_BUNDLE_CHECKS_DEFINITION_CHECKS_H_
#define PLUGIN_BUNDLE_CHECKS_DEFINITION_CHECKS_H_

#include "olm/plan/definition_change.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"

namespace steward::plugin {

// Adds what no server takes. `definition` is what `object` says.
void CheckDefinition(const BundleObject& object, const olm::Definition& definition,
                     Findings& findings);

// Adds what an upgrade from `previous` cannot do: changes that no server lets anybody make, and
// what is no upgrade.
void CheckUpgrade(const BundleFolder& bundle, const BundleFolder& previous, Findings& findings);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_CHECKS_DEFINITION_CHECKS_H_
