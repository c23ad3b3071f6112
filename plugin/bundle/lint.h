// The command steward bundle lint. Not thread-safe.
#ifndef PLUGIN_BUNDLE_LINT_H_
#define PLUGIN_BUNDLE_LINT_H_

#include <vector>

#include "absl/status/status.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"
#include "plugin/command/command.h"

namespace steward::plugin {

// Finds the faults or probable mistakes of a bundle, hints last, each in the order of files; with
// the bundle before, if there is one, also what an upgrade could not do.
std::vector<Finding> LintBundle(const BundleFolder& bundle, const BundleFolder* previous = nullptr);

// The first reason for which nobody can install the bundle, and its place.
absl::Status WhyNotInstalled(const BundleFolder& bundle);

KnownCommand KnownBundleLint();

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_LINT_H_
