// The command steward bundle lint. Not thread-safe.
#ifndef PLUGIN_BUNDLE_LINT_H_
#define PLUGIN_BUNDLE_LINT_H_

#include <vector>

#include "absl/status/status.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"
#include "plugin/command/command.h"

namespace steward::plugin {

// Finds the faults and probable mistakes of a bundle, in the order of files, hints last. If
// `previous`, the bundle of the version before, is given, also finds what an upgrade could not do.
std::vector<Finding> LintBundle(const BundleFolder& bundle, const BundleFolder* previous = nullptr);

// The first reason why nobody can install the bundle, and its place; OK if there is none.
absl::Status WhyNotInstalled(const BundleFolder& bundle);

KnownCommand KnownBundleLint();

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_LINT_H_
