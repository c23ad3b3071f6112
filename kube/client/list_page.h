// The items of a list's body. Pure functions.
#ifndef KUBE_CLIENT_LIST_PAGE_H_
#define KUBE_CLIENT_LIST_PAGE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "kube/client/client.h"

namespace steward::kube {

// Slices `body`, a list object followed by RawObject::kPadding bytes that are no part of it. The
// page's items are views into `body` and keep it alive; nothing of an item is copied or decoded.
// Items' nested values are checked for balanced brackets only: code that decodes an item must
// expect bad JSON.
//
// kDataLoss when `body` is no list: a list has a kind that ends in "List", items (null is empty)
// and a metadata.resourceVersion. A 200 of some other server must not prove that no objects exist
// (R-000-87).
absl::StatusOr<ListPage> ParseListPage(std::shared_ptr<const std::string> body);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_LIST_PAGE_H_
