// The property by which a bundle names its optional manifests (R-002-08 to 14). Values and pure
// functions.
#ifndef OLM_PLAN_OPTIONAL_MANIFESTS_H_
#define OLM_PLAN_OPTIONAL_MANIFESTS_H_

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace steward::olm {

inline constexpr std::string_view kOptionalManifestsProperty = "olm.manifests.optional";
// The annotation of a ClusterServiceVersion that holds its bundle's properties.
inline constexpr std::string_view kPropertiesAnnotation = "operatorframework.io/properties";

// The identity of a manifest (R-002-12). The version is not part of it.
struct ManifestIdentity {
  std::string group;  // "" = core; without a version (R-002-64)
  std::string kind;
  // The namespace that the manifest itself names, before an executor puts it into one; "" = none
  // (R-002-13).
  std::string ns;
  std::string name;  // metadata.name, or else metadata.generateName

  std::string ToString() const;  // "ServiceMonitor.monitoring.coreos.com reed-ops/reed"
  auto operator<=>(const ManifestIdentity&) const = default;
};

ManifestIdentity IdentityOf(const boost::json::object& manifest);

// The optional manifests that properties name: the union over all texts that were read (R-002-68).
class OptionalManifests {
 public:
  // The limit of manifests that all properties name together; more are refused.
  static constexpr size_t kMaxEntries = 10'000;

  // Reads a text of properties: {"properties": [{"type": …, "value": …}, …]}. "" and {} have none.
  // Other types of properties are ignored. kInvalidArgument names the path and the reason, e.g.
  // `properties[1].value.manifests[0].kind: must be a string that is not empty`.
  absl::Status AddText(std::string_view json);
  // Reads an array of properties in the same way.
  absl::Status AddProperties(const boost::json::array& properties);

  bool Contains(const ManifestIdentity& manifest) const { return entries_.contains(manifest); }
  bool empty() const { return entries_.empty(); }
  // In order.
  const std::set<ManifestIdentity>& entries() const { return entries_; }

 private:
  std::set<ManifestIdentity> entries_;
};

}  // namespace steward::olm

#endif  // OLM_PLAN_OPTIONAL_MANIFESTS_H_
