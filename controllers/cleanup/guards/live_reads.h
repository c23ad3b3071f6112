// Reading the present state: complete lists, and what a 404 means.
#ifndef CONTROLLERS_CLEANUP_GUARDS_LIVE_READS_H_
#define CONTROLLERS_CLEANUP_GUARDS_LIVE_READS_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::controllers {

// True only when the API server itself said, of this object, that there is none: a 404 with a
// Status that names it. A 404 of a path (nothing of the kind is served, or something between here
// and there answered) is no knowledge (R-000-70).
bool IsAbsence(const absl::Status& status, std::string_view name);

// The API server itself said that this cannot be done to resources of the kind: a 405 with a
// Status.
bool IsUnsupported(const absl::Status& status);

// What an error says, for people.
std::string Describe(const absl::Status& status);

// Of listed objects, whether their contents matter.
enum class Detail { kWhole, kMetadata };

// All objects there are, from the present state (no resourceVersion), page by page. `visit` is
// called for each; its error ends the list, and is the result. Expired pages (410) are the
// caller's: what was visited before may have changed since.
StatusTask ListLive(kube::Client& client, kube::GroupVersionResource gvr, std::string ns,
                    std::string label_selector, Detail detail,
                    std::function<absl::Status(const kube::RawObject&)> visit);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_GUARDS_LIVE_READS_H_
