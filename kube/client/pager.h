// Complete lists, read page by page. Runs on the caller's executor.
#ifndef KUBE_CLIENT_PAGER_H_
#define KUBE_CLIENT_PAGER_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube {

// The pages of one list, one after the other. A page that is larger than `options.max_bytes`, or
// than the client takes, is read again with fewer objects, down to one, which alone may be as large
// as the client takes; once there is room again the pages grow. So a user who can write a few large
// objects cannot make a list fail.
class Pager {
 public:
  // options.limit: of the first page, and the most of any; 0 = everything in one page, if it is not
  // too large. REQUIRES: `client` outlives this object; no continue_token.
  Pager(Client& client, GroupVersionResource gvr, ListOptions options);

  // The next page; nullopt after the last. The error of an expired page (IsExpired) goes to the
  // caller, as the objects of the pages before may have changed since. If a single object is too
  // large for the client: kResourceExhausted, with the name of the object before it. One call at a
  // time; none after an error.
  Task<std::optional<ListPage>> Next();

 private:
  // Makes the next page smaller. A page of one object loses its max_bytes instead, once; then
  // false.
  bool Shrink();
  void Grow(const ListPage& page);

  Client& client_;
  const GroupVersionResource gvr_;
  ListOptions options_;
  const size_t max_bytes_;
  const int64_t most_;  // objects of a page
  std::string last_;    // "namespace/name" of the last object read
  bool ended_ = false;
};

// Calls `visit` for each object of a list, by a Pager; its error ends the list, and is the result.
// Memory is that of one page.
//
// REQUIRES: `client` outlives the task; options.limit > 0 and no continue_token.
StatusTask VisitAll(Client& client, GroupVersionResource gvr, ListOptions options,
                    std::function<absl::Status(const RawObject&)> visit);

}  // namespace steward::kube

#endif  // KUBE_CLIENT_PAGER_H_
