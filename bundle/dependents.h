// Dependents of a ClusterServiceVersion: the objects that go with it when it is deleted, beside its
// custom resources. A coroutine on the caller's executor.
#ifndef BUNDLE_DEPENDENTS_H_
#define BUNDLE_DEPENDENTS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "bundle/owned_objects.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::bundle {

// The reasons why an object goes, or stays.
inline constexpr std::string_view kOwned = "Owned";  // the garbage collector takes it
inline constexpr std::string_view kOwnedByOthers = "OwnedByOthers";  // another owner is there
inline constexpr std::string_view kOwnerUnknown = "OwnerUnknown";    // is one? it was not found
inline constexpr std::string_view kByFinalizer = "ByFinalizer";      // who takes the finalizer off
inline constexpr std::string_view kUsedByOthers = "UsedByOthers";    // installed with others, too
inline constexpr std::string_view kNoFinalizer = "NoFinalizer";      // and so nobody deletes it
inline constexpr std::string_view kCopy = "Copy";  // whoever made the copies deletes it
inline constexpr std::string_view kGroupsOperators = "GroupsOperators";  // the Operator: it stays

struct Dependent {
  enum class Fate { kGoes, kStays, kUnknown };

  kube::GroupVersionKind gvk;
  kube::NamespacedName name;
  Fate fate = Fate::kGoes;
  std::string_view reason;  // one of the above
};

struct Dependents {
  // Sorted by reason, group, kind, namespace and name.
  std::vector<Dependent> objects;
  size_t more = 0;  // further ones, beyond the limit of `objects`
  std::vector<Unread> unread;
};

// Finds the dependents of the ClusterServiceVersion `csv`: objects of its namespace that it owns,
// directly or through other objects, of every kind that can be listed and deleted; objects that its
// finalizer deletes (finalized_objects.h); its copies; and the Operators that it is a component of.
// Names at most `most` of them. An error means that `csv` cannot be read, or the kinds cannot be
// discovered. REQUIRES: `client` outlives the call.
Task<Dependents> FindDependents(kube::Client& client, kube::NamespacedName csv, size_t most);

}  // namespace steward::bundle

#endif  // BUNDLE_DEPENDENTS_H_
