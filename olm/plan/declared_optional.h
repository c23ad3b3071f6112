// The optional manifests that the bundles of one InstallPlan name (R-002-08 to 14, R-002-68). A
// value.
#ifndef OLM_PLAN_DECLARED_OPTIONAL_H_
#define OLM_PLAN_DECLARED_OPTIONAL_H_

#include <boost/json/object.hpp>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "olm/plan/install_plan.h"
#include "olm/plan/optional_manifests.h"

namespace steward::olm {

// Keeps them by ClusterServiceVersion, because a bundle may name only its own manifests. Errors are
// those of OptionalManifests::AddText, with the place of the text.
class DeclaredOptional {
 public:
  // Reads the properties that the catalog names for the bundles.
  absl::Status AddLookups(const std::vector<BundleLookup>& lookups);
  // Reads `properties`, which the step's reference to a bundle has. If the step is a
  // ClusterServiceVersion, also reads kPropertiesAnnotation of `manifest`, which may be empty.
  absl::Status AddStep(const PlanStep& step, const boost::json::object& manifest,
                       const std::string& properties);

  // True if the bundle of `csv` names the manifest.
  bool Contains(const std::string& csv, const ManifestIdentity& manifest) const;
  // As Contains, but for any `manifest.ns`, when the manifest's own namespace is not known.
  bool ContainsInAnyNamespace(const std::string& csv, const ManifestIdentity& manifest) const;

 private:
  absl::Status Add(const std::string& csv, const std::string& text);

  std::map<std::string, OptionalManifests> by_csv_;
  std::set<std::pair<std::string, std::string>> read_;  // read texts; steps repeat them
};

}  // namespace steward::olm

#endif  // OLM_PLAN_DECLARED_OPTIONAL_H_
