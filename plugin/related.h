// What would install an operator again: Subscriptions and InstallPlans that name its
// ClusterServiceVersion.
#ifndef PLUGIN_RELATED_H_
#define PLUGIN_RELATED_H_

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
};

// "Subscription ops/etcd".
std::string Describe(const RelatedObject& object);

// Its status says that the ClusterServiceVersion is installed by it or about to be; as long as it
// has installed nothing, its spec.startingCSV does.
bool SubscriptionNames(const boost::json::object& subscription, std::string_view csv);
// It names the ClusterServiceVersion and is neither complete nor failed.
bool UnfinishedPlanNames(const boost::json::object& plan, std::string_view csv);

// Those of its namespace, Subscriptions first, each by name. A cluster that does not have the kinds
// has none.
Task<std::vector<RelatedObject>> FindRelated(kube::Client& client, kube::NamespacedName csv);

// Deletes one, if it is still that one. OK when it is gone or another by now.
StatusTask DeleteRelated(kube::Client& client, RelatedObject object, bool dry_run);

}  // namespace steward::plugin

#endif  // PLUGIN_RELATED_H_
