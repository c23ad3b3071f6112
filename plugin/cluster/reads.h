// Reads of the cluster's present state with the user's rights. Run on the caller's executor.
#ifndef PLUGIN_CLUSTER_READS_H_
#define PLUGIN_CLUSTER_READS_H_

#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::plugin {

// Parses a JSON object; kDataLoss for anything else.
absl::StatusOr<boost::json::value> ParseObject(std::string_view json);
Task<boost::json::value> ReadObject(kube::Client& client, kube::GroupVersionResource gvr,
                                    kube::NamespacedName name);

// Visits all objects of the present state, as kube::VisitAll does. `ns` "" = everywhere; `selector`
// is a label selector, "" = all objects.
StatusTask VisitAll(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                    bool metadata_only, std::function<absl::Status(const kube::RawObject&)> visit,
                    std::string selector = "");

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_READS_H_
