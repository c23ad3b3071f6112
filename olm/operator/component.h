// The facts about an object that Operators need: which Operators have it as a component, and which
// ClusterServiceVersions own it. Values and pure functions.
#ifndef OLM_OPERATOR_COMPONENT_H_
#define OLM_OPERATOR_COMPONENT_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "kube/meta/names.h"

namespace steward::olm {

// With the value "true": Steward made this Operator, and so may delete it.
inline constexpr std::string_view kGeneratedAnnotation = "steward.operatorframework.io/generated";
// For most kinds, only objects with this label can be components, because OLM does not see others.
inline constexpr std::string_view kManagedSelector = "olm.managed=true";

// The most Operators of which one object can be a component.
inline constexpr size_t kMaxOperatorsOfOne = 16;

// A ClusterServiceVersion that an object names as its owner.
struct CsvOwner {
  kube::NamespacedName csv;
  std::string uid;  // from an owner reference; "" = named by OLM's owner labels
  auto operator<=>(const CsvOwner&) const = default;
};

struct Component {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  // The Operators that it is a component of, by its labels: the first kMaxOperatorsOfOne by name.
  // OLM has no such limit; but without one, a single object could cause tens of thousands of
  // Operators.
  std::set<std::string> operators;
  bool more_operators = false;  // its labels name more than these
  std::vector<CsvOwner> owners;
  bool copied = false;     // label olm.copiedFrom, with any value
  bool generated = false;  // kGeneratedAnnotation says "true"
  bool operator==(const Component&) const = default;

  // Adds the Operator that the label's key names, if it is a component label.
  void AddLabel(std::string_view key);
};

// Reads an object, or its metadata alone. Owner references count only on namespaced objects,
// because an owner lies in the namespace of the owned object. kInvalidArgument for an object
// without a name or UID. Skips fields of a wrong type.
absl::StatusOr<Component> ReadComponent(const boost::json::object& object);

bool IsOwnedBy(const Component& component, const kube::NamespacedName& csv, std::string_view uid);

// The part of a Subscription that says what it installs.
struct Subscription {
  std::string package;        // spec.name
  std::string installed_csv;  // of the same namespace
  std::string current_csv;    // the same, or the one that is about to be installed
  std::string install_plan;
  bool operator==(const Subscription&) const = default;

  bool Installs(std::string_view csv) const {
    return !csv.empty() && (csv == installed_csv || csv == current_csv);
  }
};

// Never fails: a part of another type counts as absent.
Subscription ReadSubscription(const boost::json::object& object);

}  // namespace steward::olm

#endif  // OLM_OPERATOR_COMPONENT_H_
