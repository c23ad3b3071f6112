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

// The manifest of a step: an object, or a reference to it.
struct StepManifest {
  boost::json::object object;                // set where there is no reference
  std::optional<BundleReference> reference;  // an object that has no metadata but a name
};

// kInvalidArgument: no JSON object, or a reference without name or namespace.
absl::StatusOr<StepManifest> ReadStepManifest(const PlanStep& step);

// The manifests in a bundle's ConfigMap, in the order of their keys: `data`, or `binaryData`, of
// which texts that are compressed (gzip) are unpacked, up to kMaxUnpacked bytes together. A
// manifest that is no YAML or JSON object is kInvalidArgument, naming its key.
inline constexpr size_t kMaxUnpacked = 16 << 20;
absl::StatusOr<std::vector<boost::json::object>> ReadBundle(const boost::json::object& config_map);

// The manifest of a bundle that a step stands for: of its group, version, kind and name. A
// ClusterServiceVersion gets spec.replaces and the annotation of its properties from `reference`.
// kNotFound names what the bundle lacks.
absl::StatusOr<boost::json::object> FindManifest(const std::vector<boost::json::object>& bundle,
                                                 const PlanStep& step,
                                                 const BundleReference& reference);

}  // namespace steward::olm

#endif  // OLM_PLAN_BUNDLE_REFERENCE_H_
