// The version of the server that provides an API. Thread-safe where the client is.
#ifndef KUBE_CLIENT_PROVIDER_VERSION_H_
#define KUBE_CLIENT_PROVIDER_VERSION_H_

#include <string>

#include "absl/status/status.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube {

// An extension of some clients (the REST client, and the one that refuses each call).
class ProviderVersions {
 public:
  virtual ~ProviderVersions() = default;

  // The version that the provider of a group and version says it is in its OpenAPI document. The
  // provider may be another server behind the kube-apiserver (APIService). An error for which
  // IsNotServed is true says that nobody provides the group and version.
  virtual Task<std::string> ProviderVersion(const GroupVersion& gv) = 0;
};

// Asks a client; kUnimplemented for one that cannot say. REQUIRES: `client` outlives the task.
inline Task<std::string> ReadProviderVersion(Client& client, GroupVersion gv) {
  auto* versions = dynamic_cast<ProviderVersions*>(&client);
  if (versions == nullptr) co_return absl::UnimplementedError("the client asks no server for that");
  co_return co_await versions->ProviderVersion(gv);
}

}  // namespace steward::kube

#endif  // KUBE_CLIENT_PROVIDER_VERSION_H_
