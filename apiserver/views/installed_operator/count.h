// The number of InstalledOperators in a list, found without a look at each. A pure function.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_COUNT_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_COUNT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/async/task.h"
#include "kube/meta/names.h"
#include "storage/operators/operator_world.h"

namespace steward::views {

// The number of InstalledOperators in the namespace `ns` ("" = all), only those behind `after`, if
// that is given, in the order of (namespace, name). The cost grows with the number of operators,
// and of namespaces that have operators of their own or that a group targets by list or selector.
// All other namespaces have the same InstalledOperators, so they cost nothing. Gives other work its
// turns.
Task<int64_t> CountBehind(storage::OperatorWorldPtr world, std::string ns,
                          std::optional<kube::NamespacedName> after);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_COUNT_H_
