// The manifests of a plan's steps, wherever they lie. Lives on one executor.
#ifndef CONTROLLERS_INSTALL_PLAN_MANIFEST_SOURCE_H_
#define CONTROLLERS_INSTALL_PLAN_MANIFEST_SOURCE_H_

#include <boost/json/object.hpp>
#include <cstddef>
#include <map>
#include <string>
#include <utility>
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
// plan's namespace or in that of a catalog, and are read with the executor's own rights: so
// elsewhere only what belongs to a CatalogSource is a bundle, and nothing else is told from what is
// not there.
class ManifestSource {
 public:
  // ConfigMaps that one plan may refer to.
  static constexpr size_t kMaxBundles = 32;

  // `ns`: the plan's. REQUIRES: `client` outlives this object.
  ManifestSource(kube::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  // kNotFound names the ConfigMap that is not there, or what it lacks; kInvalidArgument says what
  // cannot be read.
  Task<FoundManifest> Find(olm::PlanStep step);

 private:
  using Bundle = std::vector<boost::json::object>;

  Task<const Bundle*> Open(kube::NamespacedName config_map);

  kube::Client& client_;
  const std::string ns_;
  std::map<kube::NamespacedName, Bundle> bundles_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_MANIFEST_SOURCE_H_
