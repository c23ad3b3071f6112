// Reading the cluster's present state with the user's rights.
#ifndef PLUGIN_READS_H_
#define PLUGIN_READS_H_

#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::plugin {

// True only when the API server said of this object that there is none.
bool IsAbsent(const absl::Status& status, std::string_view name);
// True when nothing of the kind is served: a 404 that names no object.
bool IsUnserved(const absl::Status& status);
bool IsForbidden(const absl::Status& status);
bool IsConflict(const absl::Status& status);
// True for what may be gone a moment later: no connection, no answer in time, 429 and 5xx.
bool IsPassing(const absl::Status& status);

// The same error, payloads and all, whose message begins with what was being done.
absl::Status While(std::string_view doing, const absl::Status& status);

// A JSON object, or an error (kDataLoss for anything else).
absl::StatusOr<boost::json::value> ParseObject(std::string_view json);
Task<boost::json::value> ReadObject(kube::Client& client, kube::GroupVersionResource gvr,
                                    kube::NamespacedName name);

// All objects of the present state, page by page. `visit` is called for each; its error ends the
// list and is the result. A list that expires between two pages (410) is the caller's to begin
// again. `ns` "" = everywhere.
StatusTask VisitAll(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                    bool metadata_only, std::function<absl::Status(const kube::RawObject&)> visit);

}  // namespace steward::plugin

#endif  // PLUGIN_READS_H_
