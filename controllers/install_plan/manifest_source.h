// The manifests of a plan's steps, wherever they lie. Lives on one executor.
#ifndef CONTROLLERS_INSTALL_PLAN_MANIFEST_SOURCE_H_
#define CONTROLLERS_INSTALL_PLAN_MANIFEST_SOURCE_H_

#include <boost/json/object.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/plan/bundle_reference.h"
#include "olm/plan/install_plan.h"

namespace steward::controllers {

struct FoundManifest {
  boost::json::object object;
  std::string properties;  // of the step's reference to a bundle; "" = none
};

// Reads each bundle's ConfigMap once, so it serves one pass over one plan. Bundles lie in the
// catalog's namespace, and are read with the executor's own rights.
class ManifestSource {
 public:
  // REQUIRES: `client` outlives this object.
  explicit ManifestSource(kube::Client& client) : client_(client) {}

  // kNotFound names the ConfigMap that is not there, or what it lacks; kInvalidArgument says what
  // cannot be read.
  Task<FoundManifest> Find(olm::PlanStep step);

 private:
  using Bundle = std::vector<boost::json::object>;

  Task<const Bundle*> Open(kube::NamespacedName config_map);

  kube::Client& client_;
  std::map<kube::NamespacedName, Bundle> bundles_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_MANIFEST_SOURCE_H_
