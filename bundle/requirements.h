// The requirements that a bundle has to the cluster where it is installed. A coroutine on the
// caller's executor.
#ifndef BUNDLE_REQUIREMENTS_H_
#define BUNDLE_REQUIREMENTS_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"

namespace steward::bundle {

// A bundle, and the namespace that it would be installed in.
struct Candidate {
  std::string ns;
  const std::vector<boost::json::object>& manifests;
  // Objects {"type", "value"}. The types olm.gvk.required, olm.package.required and olm.constraint
  // are requirements; other types describe the bundle.
  boost::json::array properties;
};

// The type of the property that stands for a dependency of the type `dependency`
// (metadata/dependencies.yaml): "olm.gvk.required" for "olm.gvk".
std::string RequiredType(std::string_view dependency);

// The requirements of the bundle that the cluster or the namespace does not meet, a sentence each.
// Requirements are: spec.minKubeVersion, the APIs that the ClusterServiceVersion requires
// (definitions, API services, native ones), properties that require something, and an install mode
// for the OperatorGroup. A requirement that cannot be judged (a constraint in CEL), or about which
// `client` may not read, is in the result, too, and says so. An error if the cluster gives no
// answer. REQUIRES: the arguments, and what `candidate` refers to, outlive the call.
Task<std::vector<std::string>> UnmetRequirements(kube::Client& client, Clock& clock,
                                                 const Candidate& candidate);

}  // namespace steward::bundle

#endif  // BUNDLE_REQUIREMENTS_H_
