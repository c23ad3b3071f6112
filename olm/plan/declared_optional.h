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

// By ClusterServiceVersion, since a bundle names its own manifests alone. Errors of reading are
// those of OptionalManifests::AddText, with the place.
class DeclaredOptional {
 public:
  // Reads what the catalog says of the bundles.
  absl::Status AddLookups(const std::vector<BundleLookup>& lookups);
  // Reads what a step says: `properties`, those in its reference to a bundle, and where it is a
  // ClusterServiceVersion the annotation of `manifest`, which may be empty.
  absl::Status AddStep(const PlanStep& step, const boost::json::object& manifest,
                       const std::string& properties);

  // True if the bundle of `csv` names the manifest.
  bool Contains(const std::string& csv, const ManifestIdentity& manifest) const;
  // True if it names a manifest whose own namespace is not known.
  bool ContainsInAnyNamespace(const std::string& csv, const ManifestIdentity& manifest) const;

 private:
  absl::Status Add(const std::string& csv, const std::string& text);

  std::map<std::string, OptionalManifests> by_csv_;
  std::set<std::pair<std::string, std::string>> read_;  // steps repeat the same text
};

}  // namespace steward::olm

#endif  // OLM_PLAN_DECLARED_OPTIONAL_H_
