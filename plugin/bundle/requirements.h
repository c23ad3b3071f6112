// What a bundle needs of the cluster that it is installed in. Not thread-safe.
#ifndef PLUGIN_BUNDLE_REQUIREMENTS_H_
#define PLUGIN_BUNDLE_REQUIREMENTS_H_

#include <string>
#include <vector>

#include "base/async/task.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/command/session.h"

namespace steward::plugin {

// What the bundle says that it needs, and this cluster or the session's namespace has not, a
// sentence each: spec.minKubeVersion, the APIs that the ClusterServiceVersion requires
// (definitions, API services, native ones), dependencies (metadata/dependencies.yaml, and the
// properties that stand for them), and an install mode for the OperatorGroup. What cannot be judged
// (constraints in CEL) or may not be read is among them, too, and says so. An error where the
// cluster gives no answer.
Task<std::vector<std::string>> UnmetRequirements(Session& session, const BundleFolder& bundle);

// Says them, and puts them into the session's report.
void ShowUnmet(Session& session, const std::vector<std::string>& unmet);

}  // namespace steward::plugin

#endif  // PLUGIN_BUNDLE_REQUIREMENTS_H_
