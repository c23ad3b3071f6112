// The store behind the interface of a Kubernetes API server's client. Thread-safe.
//
// In contrast to a kube-apiserver it has no admission, no authorization (any holder of the client
// may do everything), no rules in CEL and no list types of schemas (kube/schema), no conversion
// between versions other than of apiVersion, no managedFields or server-side apply, and no
// subresources but status. Lifecycle cleans up the contents of Namespaces, dependents of deleted
// owners and the objects of deleted definitions.
#ifndef STORAGE_EMBEDDED_EMBEDDED_CLIENT_H_
#define STORAGE_EMBEDDED_EMBEDDED_CLIENT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "kube/client/client.h"
#include "kube/meta/user_info.h"
#include "storage/embedded/operations/write_operations.h"
#include "storage/embedded/store/store.h"

namespace steward::storage {

struct EmbeddedClientOptions {
  absl::Duration bookmark_period = absl::Minutes(1);
  // The version that the server of this store reports at /version; "" = the server has no such
  // path.
  std::string server_version = {};
};

// Behaves as kube::Client promises. Callers' executors must run one handler at a time.
class EmbeddedClient : public kube::Client {
 public:
  // REQUIRES: the arguments outlive the client and its watches.
  EmbeddedClient(Store& store, Clock& clock, Random& random, EmbeddedClientOptions options = {});

  Task<kube::RawObject> Get(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) override;
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override;
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override;
  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  Task<boost::json::value> Update(const kube::GroupVersionResource& gvr,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  Task<boost::json::value> Patch(const kube::GroupVersionResource& gvr,
                                 const kube::NamespacedName& name, kube::PatchType type,
                                 const boost::json::value& patch,
                                 const kube::WriteOptions& options) override;
  Task<boost::json::value> Delete(const kube::GroupVersionResource& gvr,
                                  const kube::NamespacedName& name,
                                  const kube::DeleteOptions& options) override;
  Task<std::vector<kube::ApiResource>> Discover(const kube::GroupVersion& gv) override;
  Task<std::vector<kube::GroupVersion>> DiscoverGroups() override;
  Task<std::string> ServerVersion() override;
  // Returns a client of the same store. `user` makes no difference, because the store gives every
  // user every right; but users whom no client may impersonate are refused.
  std::unique_ptr<kube::Client> As(const kube::UserInfo& user) override;

 private:
  using WriteVerb = std::function<absl::StatusOr<boost::json::value>(Transaction&)>;
  Task<boost::json::value> Write(WriteVerb verb, const kube::SendCheck& may_send);

  Store& store_;
  const ContextSource context_;
  const EmbeddedClientOptions options_;
};

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_EMBEDDED_CLIENT_H_
