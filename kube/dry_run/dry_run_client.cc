#include "kube/dry_run/dry_run_client.h"

#include "absl/status/status.h"

namespace steward::kube {
namespace json = boost::json;

DryRunClient DryRunClient::ActingAs(const UserInfo& user) { return DryRunClient(inner().As(user)); }

std::unique_ptr<Client> DryRunClient::As(const UserInfo& user) {
  return std::make_unique<DryRunClient>(ActingAs(user));
}

Task<json::value> DryRunClient::Create(const GroupVersionResource& gvr, const std::string& ns,
                                       const json::value& object, const WriteOptions& options) {
  if (gvr.group == "authorization.k8s.io" || gvr.group == "authentication.k8s.io") {
    co_return absl::InvalidArgumentError("a review cannot be a dry run");
  }
  WriteOptions dry = options;
  dry.dry_run = true;
  co_return co_await inner().Create(gvr, ns, object, dry);
}

Task<json::value> DryRunClient::Update(const GroupVersionResource& gvr, const json::value& object,
                                       const WriteOptions& options) {
  WriteOptions dry = options;
  dry.dry_run = true;
  co_return co_await inner().Update(gvr, object, dry);
}

Task<json::value> DryRunClient::Patch(const GroupVersionResource& gvr, const NamespacedName& name,
                                      PatchType type, const json::value& patch,
                                      const WriteOptions& options) {
  WriteOptions dry = options;
  dry.dry_run = true;
  co_return co_await inner().Patch(gvr, name, type, patch, dry);
}

Task<json::value> DryRunClient::Delete(const GroupVersionResource& gvr, const NamespacedName& name,
                                       const DeleteOptions& options) {
  DeleteOptions dry = options;
  dry.dry_run = true;
  co_return co_await inner().Delete(gvr, name, dry);
}

}  // namespace steward::kube
