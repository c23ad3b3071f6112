// Complete lists of the present state. Run on the caller's executor.
#ifndef CONTROLLERS_CLEANUP_GUARDS_LIVE_READS_H_
#define CONTROLLERS_CLEANUP_GUARDS_LIVE_READS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// The error as text for users.
std::string Describe(const absl::Status& status);

// The parts of the objects that a list returns.
enum class Detail { kWhole, kMetadata };

// Visits all existing objects in their present state (no resourceVersion), as kube::VisitAll does.
StatusTask ListLive(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                    std::string label_selector, Detail detail,
                    std::function<absl::Status(const kube::RawObject&)> visit);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_LIVE_READS_H_
