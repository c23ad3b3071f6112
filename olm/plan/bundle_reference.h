// A step's reference to an unpacked bundle, in place of a manifest: `{"kind": "ConfigMap", "name":
// …, "namespace": …, …}`. Values and pure functions.
#ifndef OLM_PLAN_BUNDLE_REFERENCE_H_
#define OLM_PLAN_BUNDLE_REFERENCE_H_

#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "olm/plan/install_plan.h"

namespace steward::olm {

struct BundleReference {
  kube::NamespacedName config_map;
  std::string replaces;
  std::string properties;  // as in OptionalManifests::AddText
  bool operator==(const BundleReference&) const = default;
};

// The manifest of a step: an object, or a reference to a bundle that contains it.
struct StepManifest {
  boost::json::object object;                // set if there is no reference
  std::optional<BundleReference> reference;  // set if the manifest has a name, but no metadata
};

// kInvalidArgument: no JSON object, or a reference without name or namespace.
absl::StatusOr<StepManifest> ReadStepManifest(const PlanStep& step);

// The manifests in a bundle's ConfigMap (`data` and `binaryData`), in the order of their keys.
// Unpacks gzip, up to kMaxUnpacked bytes together. Skips files that are not manifests, such as
// those of metadata/. kInvalidArgument names the key of a value that is not a string, not base64,
// or cannot be unpacked.
inline constexpr size_t kMaxUnpacked = 16 << 20;
absl::StatusOr<std::vector<boost::json::object>> ReadBundle(const boost::json::object& config_map);

// Returns the manifest of a bundle that has the group, version, kind and name of `step`. A
// ClusterServiceVersion gets spec.replaces and kPropertiesAnnotation from `reference`. kNotFound
// names the manifest that the bundle lacks.
absl::StatusOr<boost::json::object> FindManifest(const std::vector<boost::json::object>& bundle,
                                                 const PlanStep& step,
                                                 const BundleReference& reference);

}  // namespace steward::olm

#endif  // OLM_PLAN_BUNDLE_REFERENCE_H_
