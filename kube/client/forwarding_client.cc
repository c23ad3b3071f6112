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

Task<json::value> ClientWrite::SendTo(Client& client) const {
  switch (verb) {
    case Verb::kCreate:
      return client.Create(gvr, name.ns, *object, options);
    case Verb::kUpdate:
      return client.Update(gvr, *object, options);
    case Verb::kPatch:
      return client.Patch(gvr, name, patch_type, *object, options);
    case Verb::kDelete:
      break;
  }
  return client.Delete(gvr, name, delete_options);
}

Task<json::value> InterceptingClient::Create(const GroupVersionResource& gvr, const std::string& ns,
                                             const json::value& object,
                                             const WriteOptions& options) {
  return Write({ClientWrite::Verb::kCreate, gvr, {ns, ""}, &object, {}, options});
}

Task<json::value> InterceptingClient::Update(const GroupVersionResource& gvr,
                                             const json::value& object,
                                             const WriteOptions& options) {
  return Write({ClientWrite::Verb::kUpdate, gvr, {}, &object, {}, options});
}

Task<json::value> InterceptingClient::Patch(const GroupVersionResource& gvr,
                                            const NamespacedName& name, PatchType type,
                                            const json::value& patch, const WriteOptions& options) {
  return Write({ClientWrite::Verb::kPatch, gvr, name, &patch, type, options});
}

Task<json::value> InterceptingClient::Delete(const GroupVersionResource& gvr,
                                             const NamespacedName& name,
                                             const DeleteOptions& options) {
  return Write({ClientWrite::Verb::kDelete, gvr, name, nullptr, {}, {}, options});
}

Task<json::value> ForwardingClient::Write(ClientWrite write) {
  co_return co_await write.SendTo(inner());
}

}  // namespace steward::kube
