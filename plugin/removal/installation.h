// Steward's own objects in a cluster, and the objects that need Steward's controllers. Reads of the
// present state, with the user's rights.
#ifndef PLUGIN_REMOVAL_INSTALLATION_H_
#define PLUGIN_REMOVAL_INSTALLATION_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/object_facts.h"

namespace steward::plugin {

inline constexpr char kStewardNamespace[] = "steward-system";
// The APIService.
inline constexpr char kRegistration[] = "v1alpha1.views.operators.coreos.com";

// An object, as it was listed.
struct FoundObject {
  kube::GroupVersionResource gvr;
  olm::ObjectFacts facts;

  // "clusterroles steward-view".
  std::string ToString() const;
};

struct FoundDeployment {
  olm::ObjectFacts facts;
  int64_t replicas = 1;
};

// A value.
struct Installation {
  // In the order of deletion: bindings before the objects that they bind. All have Steward's label
  // (app.kubernetes.io/part-of) and one of its names. Objects in Steward's namespace are not
  // listed, because they are deleted with it.
  std::vector<FoundObject> objects;
  std::optional<olm::ObjectFacts> ns;
  std::optional<olm::ObjectFacts> registration;  // the APIService
  std::vector<FoundDeployment> deployments;      // Steward's, without those of the API server
  // Workloads and volumes in the namespace that are not Steward's.
  std::vector<FoundObject> foreign;
  // ClusterServiceVersions that wait for a cleanup, and those that are opted in to a cleanup.
  std::vector<olm::ObjectFacts> cleaning;
  std::vector<olm::ObjectFacts> opted_in;
  std::vector<FoundObject> held;  // operators' rights and webhooks with Steward's finalizer
  size_t copies = 0;              // of ClusterServiceVersions
  // Roles that users made for Steward's accounts. They stay.
  std::vector<FoundObject> added_roles;
  // Bindings that users made to Steward's ClusterRoles. They stay, without effect.
  std::vector<FoundObject> added_bindings;
};

// Reads all of it. Refused if a kind cannot be read, because objects that were not seen could need
// Steward.
Task<Installation> ReadInstallation(kube::Client& client);

// The APIService; nullopt = there is none.
Task<std::optional<olm::ObjectFacts>> ReadRegistration(kube::Client& client);

// Reads again the parts of `installation` that may change during a removal.
StatusTask ReadCleanups(kube::Client& client, Installation& installation);
Task<size_t> CountPods(kube::Client& client, bool apiserver);

}  // namespace steward::plugin

#endif  // PLUGIN_REMOVAL_INSTALLATION_H_
