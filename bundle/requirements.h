// Requirements of a bundle to the cluster that it is installed in. A coroutine on the caller's
// executor.
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
  // {"type", "value"} each. Requirements are of the types olm.gvk.required, olm.package.required
  // and olm.constraint; other types say what the bundle is.
  boost::json::array properties;
};

// The type by which a bundle's properties say what a dependency of the type says
// (metadata/dependencies.yaml): "olm.gvk.required" for "olm.gvk".
std::string RequiredType(std::string_view dependency);

// The requirements that the bundle states, and the cluster or the namespace does not meet, a
// sentence each: spec.minKubeVersion, the APIs that the ClusterServiceVersion requires
// (definitions, API services, native ones), properties that require something, and an install mode
// for the OperatorGroup. Requirements that cannot be judged (constraints in CEL), or that `client`
// may not read, are among them, too, and say so. An error where the cluster gives no answer.
// REQUIRES: the arguments, and what `candidate` refers to, outlive the call.
Task<std::vector<std::string>> UnmetRequirements(kube::Client& client, Clock& clock,
                                                 const Candidate& candidate);

}  // namespace steward::bundle

#endif  // BUNDLE_REQUIREMENTS_H_
