// The facts about an object that Operators need: whose component it is, and who owns it. Values and
// pure functions.
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

// Marks, by the value "true", the Operators that Steward made, which it may delete.
inline constexpr std::string_view kGeneratedAnnotation = "steward.operatorframework.io/generated";
// Without it an object of most kinds is no component (facts: OLM does not see such objects).
inline constexpr std::string_view kManagedSelector = "olm.managed=true";

// The labels of Operators that count on one object.
inline constexpr size_t kMaxOperatorsOfOne = 16;

// A ClusterServiceVersion that an object names as its owner.
struct CsvOwner {
  kube::NamespacedName csv;
  std::string uid;  // of an owner reference; "" = named by OLM's owner labels
  auto operator<=>(const CsvOwner&) const = default;
};

struct Component {
  kube::NamespacedName key;
  std::string uid;
  std::string resource_version;
  // The Operators that it is a component of, by its labels: the first kMaxOperatorsOfOne by name.
  // OLM has no such limit, but whoever may write one object could have tens of thousands of
  // Operators made by it.
  std::set<std::string> operators;
  bool more_operators = false;  // its labels name others besides
  std::vector<CsvOwner> owners;
  bool copied = false;     // label olm.copiedFrom, with any value
  bool generated = false;  // kGeneratedAnnotation says "true"
  bool operator==(const Component&) const = default;

  // Counts a label if it is one of a component.
  void AddLabel(std::string_view key);
};

// Reads an object, or its metadata alone. Of the owner references those of namespaced objects
// count, since an owner lies in the namespace of what it owns. kInvalidArgument for an object
// without a name and a UID; a part of another type is left out.
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
