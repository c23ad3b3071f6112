// The changes that a server-side apply would make, told from managedFields. Pure functions.
#ifndef KUBE_APPLY_FIELD_OWNERSHIP_H_
#define KUBE_APPLY_FIELD_OWNERSHIP_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace steward::kube {

inline constexpr size_t kMaxApplyFields = 64;

// The changes that a server-side apply of a manifest would make in the object of that name.
struct ApplyDifference {
  // Paths of the fields, such as `spec.replicas` and `spec.containers[name=a].image`: sorted and
  // unique, at most kMaxApplyFields. A last `…` means that there are more.
  std::vector<std::string> fields;
  // True if the manager has not applied this version of the object yet, or the object's
  // managedFields cannot be understood. Then the apply must be sent whatever `fields` says.
  bool adopts = false;

  bool any() const { return adopts || !fields.empty(); }
};

// Returns what an apply of `wanted` by `manager` would change in `live`, as far as can be known
// without the schema of the kind: the fields whose values differ, those that the manager does not
// own yet, and those that it owns and `wanted` lacks. A list counts as an associative list or a set
// if the manager's entry in managedFields shows it as one; any other list is compared as one value.
// A value that the server added does not count as a difference; a value that the server writes in
// another form (1000m as 1), or does not keep (stringData), does. Not compared: the identity,
// apiVersion, the server's metadata, and status.
ApplyDifference CompareForApply(const boost::json::object& wanted, const boost::json::object& live,
                                std::string_view manager);

}  // namespace steward::kube

#endif  // KUBE_APPLY_FIELD_OWNERSHIP_H_
