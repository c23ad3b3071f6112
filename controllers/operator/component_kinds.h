// The kinds of objects that are watched for Operators. Constants.
#ifndef CONTROLLERS_OPERATOR_COMPONENT_KINDS_H_
#define CONTROLLERS_OPERATOR_COMPONENT_KINDS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "kube/meta/names.h"

namespace steward::controllers {

struct WatchedKind {
  kube::GroupVersionKind gvk;
  kube::GroupVersionResource gvr;
  std::string selector;
  bool component = true;    // objects with a component label belong to an Operator
  bool conditions = false;  // an Operator's status shows their conditions
  // True: the index holds all objects. False: only objects with a component label or an owner.
  bool hold_all = false;
};

// The indexes of the special kinds. The kinds before kFirstOfNeeded show whether there is an
// operator, or a definition that an operator left behind. The other kinds are watched only then.
inline constexpr size_t kCsvKindAt = 0;       // read from Worlds, without copies
inline constexpr size_t kOperatorKindAt = 1;  // no components
inline constexpr size_t kSubscriptionKindAt = 2;
inline constexpr size_t kDefinitionKindAt = 3;
inline constexpr size_t kFirstOfNeeded = 4;
inline constexpr size_t kCopyKindAt = 4;  // no components: copies of ClusterServiceVersions
inline constexpr size_t kInstallPlanKindAt = 5;

std::vector<WatchedKind> WatchedKinds(bool secrets);

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_COMPONENT_KINDS_H_
