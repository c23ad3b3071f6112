// Questions about what something would do to the cluster, to the controllers that would do it.
// Thread-safe.
#ifndef APISERVER_UPSTREAM_PREVIEWS_H_
#define APISERVER_UPSTREAM_PREVIEWS_H_

#include <optional>
#include <string>
#include <vector>

#include "apiserver/upstream/asker.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "olm/preview/preview.h"

namespace steward::upstream {

// What would be installed in a namespace.
struct PreviewedBundle {
  std::vector<std::string> manifests;  // each an object as JSON
  std::string properties;              // a JSON array; "" = none
};

// Errors carry a Kubernetes Status: the controllers' own, or 503 with a retry time and the reason
// while those of the family are unreachable. Cancellable.
class Previews {
 public:
  virtual ~Previews() = default;
  // The steps of an InstallPlan, as its executor would do them.
  virtual Task<olm::PlanPreview> OfPlan(Asker asker, kube::NamespacedName plan) = 0;
  // The objects of a bundle, as the asker would create them.
  virtual Task<olm::PlanPreview> OfBundle(Asker asker, std::string ns, PreviewedBundle bundle) = 0;
  // The deletion of a ClusterServiceVersion, then its operands, at most 1,000. `cleanup` is the
  // administrator's choice that is supposed; nullopt = as it is.
  virtual Task<olm::PlanPreview> OfUninstall(Asker asker, kube::NamespacedName csv,
                                             std::optional<bool> cleanup) = 0;
  // The copies of ClusterServiceVersions, at most 1,000, that turning them on or off would change.
  virtual Task<olm::PlanPreview> OfCopies(Asker asker, bool enabled) = 0;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_PREVIEWS_H_
