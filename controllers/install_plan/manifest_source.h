// Finds the manifests of a plan's steps, in the step itself or in a bundle's ConfigMap. Lives on
// one executor.
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
  std::string properties;  // from the step's reference to a bundle; "" = none
};

// Reads each bundle's ConfigMap once, so one object serves one pass over one plan. Bundles lie in
// the plan's namespace or in that of a catalog. They are read with the executor's own rights, so in
// another namespace only a ConfigMap that belongs to a CatalogSource counts as a bundle; any other
// is reported as missing, so that plans cannot probe for ConfigMaps.
class ManifestSource {
 public:
  // The most ConfigMaps that one plan may refer to.
  static constexpr size_t kMaxBundles = 32;

  // `ns`: the plan's namespace. REQUIRES: `client` outlives this object.
  ManifestSource(kube::Client& client, std::string ns) : client_(client), ns_(std::move(ns)) {}

  // Returns the step's manifest. kNotFound names the missing ConfigMap, or the entry that it lacks;
  // kInvalidArgument says which part cannot be read.
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
