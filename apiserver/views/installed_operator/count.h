// How many InstalledOperators a list has, without a look at each.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_COUNT_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_COUNT_H_

#include <cstdint>
#include <optional>
#include <string>

#include "base/async/task.h"
#include "kube/meta/names.h"
#include "storage/world/world.h"

namespace steward::views {

// Those in the namespace `ns` ("" = all), or of them those behind `after` in the order of
// (namespace, name). Costs the operators and the namespaces that have operators of their own or are
// targeted by list or selector; all others have the same ones, and cost nothing. Lets other work
// have its turns.
Task<int64_t> CountBehind(storage::WorldPtr world, std::string ns,
                          std::optional<kube::NamespacedName> after);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_COUNT_H_
