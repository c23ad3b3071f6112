// The faults that an API server finds in the objects of a bundle. Pure functions.
#ifndef PLUGIN_BUNDLE_CHECKS_OBJECT_CHECKS_H_
#define PLUGIN_BUNDLE_CHECKS_OBJECT_CHECKS_H_

#include <boost/json/array.hpp>
#include <string_view>

#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"

namespace steward::plugin {

// Adds what no API server would accept (names, labels, the rules of Roles), and APIs that
// Kubernetes has removed.
void CheckObject(const BundleObject& object, Findings& findings);

// Checks the rules of a Role (or, with `cluster`, a ClusterRole) at `field`.
void CheckRules(const std::string& file, std::string_view field, const boost::json::array& rules,
                bool cluster, Findings& findings);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_CHECKS_OBJECT_CHECKS_H_
