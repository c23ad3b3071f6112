// The faults that catalogs find in a bundle's metadata/. Pure functions.
#ifndef PLUGIN_BUNDLE_CHECKS_METADATA_CHECKS_H_
#define PLUGIN_BUNDLE_CHECKS_METADATA_CHECKS_H_

#include <string>

#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"

namespace steward::plugin {

// Adds what is wrong with the annotations (metadata/annotations.yaml) and the dependencies
// (metadata/dependencies.yaml) of the bundle. The files may have any name.
void CheckMetadata(const BundleFolder& bundle, Findings& findings);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_CHECKS_METADATA_CHECKS_H_
