// Keeps a snapshot of one resource for later reads. Immutable.
#ifndef KUBE_TESTING_FROZEN_READS_H_
#define KUBE_TESTING_FROZEN_READS_H_

#include <map>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::kube {

class FrozenReads {
 public:
  // Takes the objects that `client` lists now, in all namespaces.
  static Task<std::shared_ptr<const FrozenReads>> Take(Client& client, GroupVersionResource gvr);

  absl::StatusOr<RawObject> Get(const NamespacedName& name) const;
  // Returns all objects in one page, as a server may with any limit. Field selectors may name
  // metadata.name and metadata.namespace.
  absl::StatusOr<ListPage> List(const ListOptions& options) const;

 private:
  GroupVersionResource gvr_;
  std::string resource_version_;
  std::map<NamespacedName, RawObject> objects_;
};

}  // namespace steward::kube

#endif  // KUBE_TESTING_FROZEN_READS_H_
