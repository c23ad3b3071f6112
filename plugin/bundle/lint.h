// The command steward bundle lint. Not thread-safe.
#ifndef PLUGIN_BUNDLE_LINT_H_
#define PLUGIN_BUNDLE_LINT_H_

#include <string>
#include <vector>

#include "plugin/bundle/bundle_folder.h"
#include "plugin/command/command.h"

namespace steward::plugin {

struct Finding {
  std::string where;  // "file:line"
  bool hint = false;  // else an error
  std::string what;
};

// What is wrong with a bundle, or probably not meant, errors first, each in the order of files.
std::vector<Finding> LintBundle(const BundleFolder& bundle);

KnownCommand KnownBundleLint();

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_LINT_H_
