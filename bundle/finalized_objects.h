// The cluster-scoped objects that OLM deletes with a ClusterServiceVersion. They need its
// finalizer, because they cannot have an owner in a namespace. Lives on one executor.
#ifndef BUNDLE_FINALIZED_OBJECTS_H_
#define BUNDLE_FINALIZED_OBJECTS_H_

#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/object_facts.h"

namespace steward::bundle {

// OLM's finalizer of ClusterServiceVersions. OLM removes it after it has deleted these objects.
inline constexpr std::string_view kCsvFinalizer = "operators.coreos.com/csv-cleanup";

// The resources that such objects belong to, in the order in which OLM deletes them.
const std::vector<kube::GroupVersionResource>& FinalizedResources();

struct FinalizedObject {
  olm::ObjectFacts facts;
  // True if the object stays, because another operator that was installed with it stays.
  bool stays = false;
};

class FinalizedObjects {
 public:
  // REQUIRES: `client` outlives this object and its calls.
  FinalizedObjects(kube::Client& client, kube::NamespacedName csv)
      : client_(client), csv_(std::move(csv)) {}

  // Returns the operator's objects of one resource, sorted by name. They are found by the
  // operator's owner labels, or, if they were installed with several operators, by annotations
  // (olm/alongside.h). Empty if the cluster does not serve the resource.
  Task<std::vector<FinalizedObject>> Find(kube::GroupVersionResource gvr);

 private:
  // True if one of `csvs`, other than csv_, stays. A ClusterServiceVersion stays if it exists, is
  // no copy, and is not being deleted or still waits for its cleanup.
  Task<bool> AnyStays(std::vector<kube::NamespacedName> csvs);

  kube::Client& client_;
  const kube::NamespacedName csv_;
  // The operators that were read; true for each that stays.
  std::map<kube::NamespacedName, bool> others_;
};

}  // namespace steward::bundle

#endif  // BUNDLE_FINALIZED_OBJECTS_H_
