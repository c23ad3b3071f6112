// The plan for loading manifests: everything that can be known before the first write. Values and
// pure functions.
#ifndef STORAGE_EMBEDDED_LOADER_MANIFEST_PLAN_H_
#define STORAGE_EMBEDDED_LOADER_MANIFEST_PLAN_H_

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kube/manifest/manifest_files.h"
#include "kube/meta/names.h"
#include "kube/meta/resource_type.h"
#include "storage/embedded/types/catalog.h"

namespace steward::storage {

struct PlannedObject {
  std::string where;
  kube::GroupVersionResource gvr;
  std::string kind;
  kube::NamespacedName name;
  // The object without fields that only a server sets, without owner references, and without status
  // where the type has a status subresource.
  boost::json::object object;
  // The status that is written through the status subresource.
  std::optional<boost::json::value> status;

  std::string Name() const;  // "Widget team-a/one", for messages
};

struct ManifestPlan {
  std::vector<PlannedObject> definitions;
  std::vector<PlannedObject> namespaces;
  std::vector<PlannedObject> others;
  // Namespaces of `others` that are not in `namespaces`, sorted.
  std::vector<std::string> missing_namespaces;
  std::vector<kube::ManifestProblem> problems;
  size_t without_owners = 0;  // objects that lost owner references
};

// Sorts and checks the objects. An object that a server would refuse becomes a problem. The known
// kinds are those of `present` and of the CustomResourceDefinitions among the objects; the latter
// take precedence. An object of a namespaced kind without a namespace goes to "default". Of objects
// of the same name the first stays. The status of Namespaces and definitions belongs to the server,
// and is dropped.
ManifestPlan PlanManifests(kube::Manifests manifests, const Catalog& present);

}  // namespace steward::storage

#endif  // STORAGE_EMBEDDED_LOADER_MANIFEST_PLAN_H_
