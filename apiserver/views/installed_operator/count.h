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

// The number of those in the namespace `ns` ("" = all), or of those behind `after` in the order of
// (namespace, name). The cost grows with the operators and the namespaces that have operators of
// their own or are targeted by list or selector; all other namespaces have the same ones, and cost
// nothing. Gives other work its turns.
Task<int64_t> CountBehind(storage::OperatorWorldPtr world, std::string ns,
                          std::optional<kube::NamespacedName> after);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_COUNT_H_
