// Asks the controllers what a planned change would do to the cluster. Thread-safe.
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

// A bundle that would be installed in a namespace.
struct PreviewedBundle {
  std::vector<std::string> manifests;  // each is one object as JSON
  std::string properties;              // a JSON array; "" = none
};

// Errors carry a Kubernetes Status: the controllers' own, or a 503 with a retry time and the reason
// while the controllers of the family are unreachable. Cancellable.
class Previews {
 public:
  virtual ~Previews() = default;
  // Previews the steps of an InstallPlan as its executor would do them.
  virtual Task<olm::PlanPreview> OfPlan(Asker asker, kube::NamespacedName plan) = 0;
  // Previews the objects of a bundle as the asker would create them.
  virtual Task<olm::PlanPreview> OfBundle(Asker asker, std::string ns, PreviewedBundle bundle) = 0;
  // Previews the deletion of a ClusterServiceVersion, then that of its operands, at most 1,000.
  // `cleanup` is an assumed choice of the administrator; nullopt = the actual one.
  virtual Task<olm::PlanPreview> OfUninstall(Asker asker, kube::NamespacedName csv,
                                             std::optional<bool> cleanup) = 0;
  // Previews the copies of ClusterServiceVersions, at most 1,000, that turning copies on or off
  // would change.
  virtual Task<olm::PlanPreview> OfCopies(Asker asker, bool enabled) = 0;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_PREVIEWS_H_
