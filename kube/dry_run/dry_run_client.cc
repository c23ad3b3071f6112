#include "kube/dry_run/dry_run_client.h"

#include <string>

#include "absl/status/status.h"

namespace steward::kube {
namespace json = boost::json;

DryRunClient DryRunClient::ActingAs(const UserInfo& user) { return DryRunClient(inner().As(user)); }

std::unique_ptr<Client> DryRunClient::As(const UserInfo& user) {
  return std::make_unique<DryRunClient>(ActingAs(user));
}

Task<json::value> DryRunClient::Write(ClientWrite write) {
  const std::string& group = write.gvr.group;
  if (group == "authorization.k8s.io" || group == "authentication.k8s.io") {
    co_return absl::InvalidArgumentError("a review cannot be a dry run");
  }
  write.MakeDryRun();
  co_return co_await write.SendTo(inner());
}

}  // namespace steward::kube
