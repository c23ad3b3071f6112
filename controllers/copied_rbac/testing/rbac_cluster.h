// A cluster in memory with operators and their Roles, and the process that copies these. Not
// thread-safe.
#ifndef CONTROLLERS_COPIED_RBAC_TESTING_RBAC_CLUSTER_H_
#define CONTROLLERS_COPIED_RBAC_TESTING_RBAC_CLUSTER_H_

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "base/async/task.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "controllers/copied_rbac/copied_rbac.h"
#include "controllers/copied_rbac/copied_rbac_metrics.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "kube/testing/hook_client.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kTestRoles = {"rbac.authorization.k8s.io", "v1", "roles"};
inline const kube::GroupVersionResource kTestBindings = {"rbac.authorization.k8s.io", "v1",
                                                         "rolebindings"};
inline const kube::GroupVersionResource kTestClusterRoles = {"rbac.authorization.k8s.io", "v1",
                                                             "clusterroles"};
inline const kube::GroupVersionResource kTestClusterBindings = {"rbac.authorization.k8s.io", "v1",
                                                                "clusterrolebindings"};
inline const kube::GroupVersionResource kTestOperators = {"operators.coreos.com", "v1",
                                                          "operators"};

// Operators are installed in the namespace "ops". Each has an Operator of its own name, and may
// have a Role, a RoleBinding and a ServiceAccount of the same name.
class RbacCluster : public CopyCluster {
 public:
  RbacCluster();

  // Changes the object of a create or update of a Role, a RoleBinding or a lifted object before it
  // is stored.
  std::function<void(const kube::GroupVersionResource& gvr, boost::json::object& object)>
      rbac_webhook;

  // --- What others do. `verbs` of Secrets: "get,list".
  void PutOperator(const std::string& name, std::string_view asked);
  void PutOriginal(const std::string& name, std::string_view verbs);
  void PutCopiedCsv(const std::string& ns, const std::string& name);
  // A Role, or a RoleBinding of User mallory to the Role of this name; `metadata`: further members,
  // beginning with a comma.
  void PutRole(const kube::NamespacedName& name, std::string_view verbs,
               const std::string& metadata = "");
  void PutBinding(const kube::NamespacedName& name, const std::string& role,
                  const std::string& metadata = "");
  // Does nothing if there is no such object.
  void Drop(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name);

  Task<boost::json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;
  Task<boost::json::value> Update(const kube::GroupVersionResource& gvr,
                                  const boost::json::value& object,
                                  const kube::WriteOptions& options) override;

  // --- What is there. null: nothing.
  boost::json::value Find(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name);
};

// Counts the Events of each "<reason> <namespace>/<name>".
class RbacEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override;
  std::map<std::string, int> told;
};

// Watches report everything at once; Worlds show the cluster as of the last Look.
class RbacProcess {
 public:
  RbacProcess(RbacCluster& cluster, FakeClock& clock);
  ~RbacProcess();

  kube::Hook& hook() { return hook_; }
  RbacEvents& events() { return events_; }
  bool died() const { return hook_.died; }

  void Look();
  // Looks until nothing more happens, including retries.
  void Finish();
  void Settle();

 private:
  RbacCluster& cluster_;
  FakeClock& clock_;
  boost::asio::io_context io_{1};
  kube::Hook hook_;
  kube::HookClient client_;
  FixedRandom random_{0};
  prometheus::Registry registry_;
  CopiedRbacMetrics metrics_{registry_};
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  CopyCluster::Seen seen_;
  MetadataWatches watches_;
  TestLeadership leadership_;
  RbacEvents events_;
  const FeatureGates gates_ = FeatureGates({});
  Controller controller_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIED_RBAC_TESTING_RBAC_CLUSTER_H_
