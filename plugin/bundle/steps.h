// The command steward bundle steps. Not thread-safe.
#ifndef PLUGIN_BUNDLE_STEPS_H_
#define PLUGIN_BUNDLE_STEPS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "olm/plan/install_plan.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/command/command.h"

namespace steward::plugin {

// The steps of the plan that a bundle makes in a namespace. kInvalidArgument if the bundle cannot
// be installed, with the first reason and its place.
absl::StatusOr<std::vector<olm::PlanStep>> StepsOfFolder(const BundleFolder& bundle,
                                                         const std::string& ns);

KnownCommand KnownBundleSteps();

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_STEPS_H_
