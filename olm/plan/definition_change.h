// The effects of a new CustomResourceDefinition on the existing one. Values and pure functions.
#ifndef OLM_PLAN_DEFINITION_CHANGE_H_
#define OLM_PLAN_DEFINITION_CHANGE_H_

#include <boost/json/object.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"
#include "kube/schema/schema.h"

namespace steward::olm {

// A served version of a definition with its schema.
struct DefinitionVersion {
  std::string name;
  kube::Schema schema;
};

// The facts about a definition that an executor needs.
struct Definition {
  std::string name;  // plural.group
  std::string group;
  std::string plural;
  std::string kind;
  bool namespaced = false;
  bool converts = false;  // spec.conversion.strategy: Webhook
  std::vector<DefinitionVersion> served;
  std::string storage;                       // the storage version
  std::vector<std::string> versions;         // all of them, served or not
  std::vector<std::string> stored_versions;  // status.storedVersions

  // True when it serves this version of this kind.
  bool Serves(const kube::GroupVersionKind& gvk) const;
};
absl::StatusOr<Definition> ReadDefinition(const boost::json::object& object);

// True once the API server serves the definition: Established and NamesAccepted are True. Sets
// `refused` to the message of NamesAccepted if that is False, else to "".
bool IsEstablished(const boost::json::object& definition, std::string* refused);

// The change from `live` to `wanted`.
struct DefinitionChange {
  // The reason why the change must not be made: a stored version is not among the new ones (R-002,
  // versions), or a field differs that servers do not let anybody change. "" = none.
  std::string refused;
  // Versions that were served and will not be: a Warning, since OLM allows it.
  std::vector<std::string> versions_that_go;
};
DefinitionChange CompareDefinitions(const Definition& live, const Definition& wanted);

// True if both specs are equal once defaults are filled in, as a server does.
bool HasSameSpec(const boost::json::object& live, const boost::json::object& wanted);

// The namespace of the Service that converts the definition's objects; "" if no Service does, for
// example if a url does.
std::string ConverterNamespace(const boost::json::object& definition);

// The reason why an InstallPlan must not give a definition the conversion of `wanted`; "" = it may.
// A converter reads and changes every object of the kind, so a plan must not name an address
// outside of the cluster. If `ns` is not "", a plan may only name Services of that namespace. A
// conversion that `live` has already may stay. `live` is null if there is no such definition.
std::string ConversionProblem(const boost::json::object* live, const boost::json::object& wanted,
                              std::string_view ns);

}  // namespace steward::olm

#endif  // OLM_PLAN_DEFINITION_CHANGE_H_
