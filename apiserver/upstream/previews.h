// Questions about what something would do to the cluster, to the controllers that would do it.
// Thread-safe.
#ifndef APISERVER_UPSTREAM_PREVIEWS_H_
#define APISERVER_UPSTREAM_PREVIEWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apiserver/upstream/asker.h"
#include "base/async/task.h"
#include "kube/meta/names.h"

namespace steward::upstream {

// A field before and after a step (see steward.plan.v1.Change). The values are valid JSON.
struct PreviewedChange {
  std::string path;
  std::string before;
  std::string after;
  bool cut = false;
  bool operator==(const PreviewedChange&) const = default;
};

// One step, in the controllers' words (see steward.plan.v1.Step).
struct PreviewedStep {
  int64_t index = 0;  // from 1
  std::string resolving;
  kube::GroupVersionKind gvk;
  kube::NamespacedName name;
  bool declared_optional = false;
  bool optional = false;
  std::string outcome;  // Create, Update, ...
  std::string basis;    // DryRun or Rule
  std::string reason;
  int code = 0;
  std::string message;
  std::vector<std::string> changed_fields;
  std::string status;
  std::vector<PreviewedChange> changes;
  std::vector<std::string> warnings;
  bool operator==(const PreviewedStep&) const = default;
};

struct Preview {
  bool executable = false;
  std::string reason;
  std::string message;
  std::vector<PreviewedStep> steps;
  int64_t hidden = 0;     // steps between those, about objects that the asker may not list
  int64_t remaining = 0;  // steps behind those, hidden ones included
};

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
  virtual Task<Preview> OfPlan(Asker asker, kube::NamespacedName plan) = 0;
  // The objects of a bundle, as the asker would create them.
  virtual Task<Preview> OfBundle(Asker asker, std::string ns, PreviewedBundle bundle) = 0;
  // The deletion of a ClusterServiceVersion, then its operands, at most 1,000. `cleanup` is the
  // administrator's choice that is supposed; nullopt = as it is.
  virtual Task<Preview> OfUninstall(Asker asker, kube::NamespacedName csv,
                                    std::optional<bool> cleanup) = 0;
  // The copies of ClusterServiceVersions, at most 1,000, that turning them on or off would change.
  virtual Task<Preview> OfCopies(Asker asker, bool enabled) = 0;
};

}  // namespace steward::upstream

#endif  // APISERVER_UPSTREAM_PREVIEWS_H_
