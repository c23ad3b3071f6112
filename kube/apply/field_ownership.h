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
  // Paths of the fields, such as `spec.replicas` and `spec.containers[name=a].image`: sorted, none
  // twice, at most kMaxApplyFields, and a last `…` when there are more.
  std::vector<std::string> fields;
  // The manager has not applied this version of the object yet, or its managedFields cannot be
  // understood: the apply must be sent whatever `fields` says.
  bool adopts = false;

  bool any() const { return adopts || !fields.empty(); }
};

// Returns what an apply of `wanted` by `manager` would change in `live`, as far as can be known
// without the schema of the kind: the fields whose values differ, those that the manager does not
// own yet, and those that it owns and `wanted` lacks. The associative lists and sets are those that
// the manager's entry in managedFields shows; all other lists are one value each. Values that the
// server adds are no difference; a value that it writes in another form (1000m as 1), or does not
// keep (stringData), is one. The identity, apiVersion, the server's metadata, and status are left
// out.
ApplyDifference CompareForApply(const boost::json::object& wanted, const boost::json::object& live,
                                std::string_view manager);

}  // namespace steward::kube

#endif  // KUBE_APPLY_FIELD_OWNERSHIP_H_
