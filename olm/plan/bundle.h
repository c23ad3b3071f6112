// A bundle in a directory of its author: manifests/ and metadata/. Values; thread-safe functions.
#ifndef OLM_PLAN_BUNDLE_H_
#define OLM_PLAN_BUNDLE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "olm/plan/install_plan.h"
#include "olm/plan/optional_manifests.h"

namespace steward::olm {

// The steps that OLM makes of a bundle (R-002-22, 24) that is installed in `ns`: its
// ClusterServiceVersion first, then its definitions, then the rest in the order of `manifests`
// (which is that of file names), then the steps generated from the ClusterServiceVersion's
// permissions: for each account a ServiceAccount (unless it is "default", or among the manifests),
// Role, RoleBinding, ClusterRole and ClusterRoleBinding, never optional. A Secret becomes a
// BundleSecret; group and version are as ObjectKind returns them. A step is `optional` if
// `declared` contains its manifest. kInvalidArgument: not exactly one ClusterServiceVersion, one
// with CsvContentProblems, or a manifest without kind, name or an apiVersion that follows from its
// kind.
absl::StatusOr<std::vector<PlanStep>> StepsOf(const std::vector<boost::json::object>& manifests,
                                              const OptionalManifests& declared,
                                              const std::string& ns);

}  // namespace steward::olm

#endif  // OLM_PLAN_BUNDLE_H_
