// The InstalledOperators that a client inside a burst may have in any state. A pure function.
#ifndef APISERVER_VIEWS_INSTALLED_OPERATOR_SUSPECTS_H_
#define APISERVER_VIEWS_INSTALLED_OPERATOR_SUSPECTS_H_

#include <boost/asio/awaitable.hpp>
#include <optional>
#include <set>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "kube/meta/names.h"

namespace steward::views {

// Implements Projection::Suspects. Returns nullopt after too many looks at operators, namespaces
// and groups, whatever the selection is.
boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> InstalledOperatorSuspects(
    Window window, const rest::Selection& selection);

}  // namespace steward::views

#endif  // APISERVER_VIEWS_INSTALLED_OPERATOR_SUSPECTS_H_
