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

// The facts about a definition that an executor needs. kInvalidArgument names the field that cannot
// be read.
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

// True once the definition's API is there: Established and NamesAccepted. `refused` gets the
// message of a NamesAccepted that is False; "" otherwise.
bool IsEstablished(const boost::json::object& definition, std::string* refused);

// The change from `live` to `wanted`.
struct DefinitionChange {
  // The reason why the change must not be made: a stored version is not among the new ones (R-002,
  // versions), or a field changes that no server lets anybody change. "" = none.
  std::string refused;
  // Versions that were served and will not be: a Warning, since OLM allows it.
  std::vector<std::string> versions_that_go;
};
DefinitionChange CompareDefinitions(const Definition& live, const Definition& wanted);

// True if both specs say the same, but for what a server fills in.
bool HasSameSpec(const boost::json::object& live, const boost::json::object& wanted);

// The namespace of the Service that converts the definition's objects; "" where none does, or what
// does is at a url.
std::string ConverterNamespace(const boost::json::object& definition);

// The reason why a plan must not give a definition the conversion of `wanted`; "" if it may. A
// converter reads and changes every object of the kind: a plan never names an address outside of
// the cluster, and where `ns` is not "", it may only name Services of that namespace. A conversion
// that `live` (null: there is none) has already may stay.
std::string ConversionProblem(const boost::json::object* live, const boost::json::object& wanted,
                              std::string_view ns);

}  // namespace steward::olm

#endif  // OLM_PLAN_DEFINITION_CHANGE_H_
