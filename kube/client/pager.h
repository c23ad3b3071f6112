// Complete lists, read page by page. Runs on the caller's executor.
#ifndef KUBE_CLIENT_PAGER_H_
#define KUBE_CLIENT_PAGER_H_

#include <functional>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube {

// Calls `visit` for each object of a list; its error ends the list, and is the result. Memory is
// that of one page, of `options.limit` objects. The error of an expired page (IsExpired) goes to
// the caller, as the objects visited before may have changed since.
//
// REQUIRES: `client` outlives the task; options.limit > 0 and no continue_token.
StatusTask VisitAll(Client& client, GroupVersionResource gvr, ListOptions options,
                    std::function<absl::Status(const RawObject&)> visit);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_PAGER_H_
