#include "controllers/rpc/bridge/page_visibility.h"

#include "base/status/macros.h"

namespace steward::rpc {

MayList MayListAs(Access& access, Requester requester) {
  return
      [&access, requester = std::move(requester)](kube::GroupVersionResource gvr, std::string ns) {
        AccessAttributes attributes;
        attributes.verb = "list";
        attributes.gvr = std::move(gvr);
        attributes.ns = std::move(ns);
        return access.Allows(requester, std::move(attributes));
      };
}

bool PageVisibility::CanTell(const kube::GroupVersionResource& gvr, const std::string& ns) const {
  const std::string resource = gvr.GroupResource();
  const auto known = everywhere_.find(resource);
  if (known == everywhere_.end() || known->second || ns.empty()) return true;
  return left_ > 0 || somewhere_.contains({resource, ns});
}

Task<bool> PageVisibility::Shows(kube::GroupVersionResource gvr, std::string ns) {
  const std::string resource = gvr.GroupResource();
  const auto known = everywhere_.find(resource);
  bool everywhere = false;
  if (known != everywhere_.end()) {
    everywhere = known->second;
  } else {
    CO_ASSIGN_OR_RETURN(everywhere, co_await may_list_(gvr, ""));
    everywhere_[resource] = everywhere;
  }
  if (everywhere || ns.empty()) co_return everywhere;
  const std::pair<std::string, std::string> key(resource, ns);
  if (const auto found = somewhere_.find(key); found != somewhere_.end()) co_return found->second;
  if (left_ > 0) --left_;
  CO_ASSIGN_OR_RETURN(const bool here, co_await may_list_(std::move(gvr), std::move(ns)));
  somewhere_[key] = here;
  co_return here;
}

}  // namespace steward::rpc
