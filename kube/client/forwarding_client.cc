#include "kube/client/forwarding_client.h"

namespace steward::kube {
namespace json = boost::json;

Task<RawObject> ForwardingReads::Get(const GroupVersionResource& gvr, const NamespacedName& name) {
  return inner_.Get(gvr, name);
}

Task<ListPage> ForwardingReads::List(const GroupVersionResource& gvr, const ListOptions& options) {
  return inner_.List(gvr, options);
}

Task<std::unique_ptr<Watch>> ForwardingReads::StartWatch(const GroupVersionResource& gvr,
                                                         const WatchOptions& options) {
  return inner_.StartWatch(gvr, options);
}

Task<std::vector<ApiResource>> ForwardingReads::Discover(const GroupVersion& gv) {
  return inner_.Discover(gv);
}

Task<std::vector<GroupVersion>> ForwardingReads::DiscoverGroups() {
  return inner_.DiscoverGroups();
}

Task<std::string> ForwardingReads::ServerVersion() { return inner_.ServerVersion(); }
Task<absl::Time> ForwardingReads::ServerTime() { return inner_.ServerTime(); }

Task<json::value> ForwardingClient::Create(const GroupVersionResource& gvr, const std::string& ns,
                                           const json::value& object, const WriteOptions& options) {
  return inner().Create(gvr, ns, object, options);
}

Task<json::value> ForwardingClient::Update(const GroupVersionResource& gvr,
                                           const json::value& object, const WriteOptions& options) {
  return inner().Update(gvr, object, options);
}

Task<json::value> ForwardingClient::Patch(const GroupVersionResource& gvr,
                                          const NamespacedName& name, PatchType type,
                                          const json::value& patch, const WriteOptions& options) {
  return inner().Patch(gvr, name, type, patch, options);
}

Task<json::value> ForwardingClient::Delete(const GroupVersionResource& gvr,
                                           const NamespacedName& name,
                                           const DeleteOptions& options) {
  return inner().Delete(gvr, name, options);
}

}  // namespace steward::kube
