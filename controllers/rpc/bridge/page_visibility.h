// Decides which part of a page its requester may see. Lives on one executor.
#ifndef CONTROLLERS_RPC_BRIDGE_PAGE_VISIBILITY_H_
#define CONTROLLERS_RPC_BRIDGE_PAGE_VISIBILITY_H_

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <utility>

#include "base/async/task.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/meta/names.h"

namespace steward::rpc {

// Returns true if the requester may list this resource there ("" = in the whole cluster).
using MayList = std::function<Task<bool>(kube::GroupVersionResource gvr, std::string ns)>;
// Returns a MayList that asks `access` for the requester. REQUIRES: `access` outlives the result
// and its calls.
MayList MayListAs(Access& access, Requester requester);

// The resources that one requester may list, asked once for each resource and namespace of one
// page: first for the whole cluster, and where that is denied for single namespaces.
class PageVisibility {
 public:
  // `max_reviews` limits the reviews for single namespaces. REQUIRES: `may_list` outlives this
  // object.
  PageVisibility(const MayList& may_list, size_t max_reviews)
      : may_list_(may_list), left_(max_reviews) {}

  // Returns false if an answer would take more reviews than one page may have. `ns` "" =
  // cluster-scoped.
  bool CanTell(const kube::GroupVersionResource& gvr, const std::string& ns) const;
  // Returns true if objects of the resource in `ns` may be shown.
  Task<bool> Shows(kube::GroupVersionResource gvr, std::string ns);

 private:
  const MayList& may_list_;
  size_t left_;
  std::map<std::string, bool> everywhere_;
  std::map<std::pair<std::string, std::string>, bool> somewhere_;
};

}  // namespace steward::rpc

#endif  // CONTROLLERS_RPC_BRIDGE_PAGE_VISIBILITY_H_
