// Slicing the body of a list into its items.
#ifndef KUBE_CLIENT_LIST_PAGE_H_
#define KUBE_CLIENT_LIST_PAGE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "kube/client/client.h"

namespace steward::kube {

// Reads `body`, a list object followed by RawObject::kPadding bytes that are no part of it. The
// page's items are views into `body` and keep it alive; nothing of an item is copied or decoded.
// Items' nested values are checked for balanced brackets only: who decodes an item must expect bad
// JSON.
//
// kDataLoss when `body` is no list: its kind ends in "List", it has items (null is empty) and a
// metadata.resourceVersion. A foreign 200 must not pass for proof that there is nothing (R-000-87).
absl::StatusOr<ListPage> ParseListPage(std::shared_ptr<const std::string> body);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_LIST_PAGE_H_
