// The objects that would install an operator again: Subscriptions and InstallPlans that name its
// ClusterServiceVersion. Values; calls run on the caller's executor.
#ifndef PLUGIN_CLUSTER_RELATED_H_
#define PLUGIN_CLUSTER_RELATED_H_

#include <boost/json/value.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/async/task.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"

namespace steward::plugin {

struct RelatedObject {
  kube::GroupVersionResource gvr;
  std::string kind;
  kube::NamespacedName name;
  std::string uid;
  // Other operators that the plan installs, too. They need it, so it is kept.
  std::vector<std::string> also_installs;

  bool kept() const { return !also_installs.empty(); }
};

// The object in words: "Subscription ops/etcd".
std::string Describe(const RelatedObject& object);

// True if the subscription's status says that it has installed, or is about to install, the
// ClusterServiceVersion; as long as it has installed nothing, spec.startingCSV decides.
bool SubscriptionNames(const boost::json::object& subscription, std::string_view csv);
// True if the plan names the ClusterServiceVersion, whatever has become of it.
bool PlanNames(const boost::json::object& plan, std::string_view csv);
// True if PlanNames, and the plan is neither complete nor failed.
bool UnfinishedPlanNames(const boost::json::object& plan, std::string_view csv);
// The other ClusterServiceVersions that a plan names, in its order.
std::vector<std::string> OthersInPlan(const boost::json::object& plan, std::string_view csv);

// The related objects in the namespace of `csv`: Subscriptions first, each kind sorted by name.
// Empty if the cluster does not have the kinds.
Task<std::vector<RelatedObject>> FindRelated(kube::Client& client, kube::NamespacedName csv);

// Deletes `object` if it still has the same UID. OK also when it is gone, or another object has its
// name. REQUIRES: it is not one to keep (`also_installs` is empty).
StatusTask DeleteRelated(kube::Client& client, RelatedObject object, bool dry_run);

}  // namespace steward::plugin

#endif  // PLUGIN_CLUSTER_RELATED_H_
