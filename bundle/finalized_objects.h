// The objects that go with a ClusterServiceVersion by its finalizer: those of the cluster, which
// cannot have an owner in a namespace. Lives on one executor.
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

// OLM's finalizer of ClusterServiceVersions. Before it is taken off, these objects are deleted.
inline constexpr std::string_view kCsvFinalizer = "operators.coreos.com/csv-cleanup";

// The resources among which they are, in the order in which OLM deletes them.
const std::vector<kube::GroupVersionResource>& FinalizedResources();

struct FinalizedObject {
  olm::ObjectFacts facts;
  // Another operator that it was installed with is there and stays, and so it stays, too.
  bool stays = false;
};

class FinalizedObjects {
 public:
  // REQUIRES: `client` outlives this object and its calls.
  FinalizedObjects(kube::Client& client, kube::NamespacedName csv)
      : client_(client), csv_(std::move(csv)) {}

  // Returns the operator's objects of one resource, sorted by name. Its owner labels mark them, or
  // the annotations on objects installed with several operators (olm/alongside.h). Empty if the
  // cluster does not serve the resource.
  Task<std::vector<FinalizedObject>> Find(kube::GroupVersionResource gvr);

 private:
  // True if one of them is there, other than the operator, and not being deleted.
  Task<bool> AnyStays(std::vector<kube::NamespacedName> csvs);

  kube::Client& client_;
  const kube::NamespacedName csv_;
  // The operators of which is known whether they are there, and stay.
  std::map<kube::NamespacedName, bool> others_;
};

}  // namespace steward::bundle

#endif  // BUNDLE_FINALIZED_OBJECTS_H_
