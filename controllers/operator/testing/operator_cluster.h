// A cluster in memory with operators, and the process that keeps Operators in it. Not thread-safe.
#ifndef CONTROLLERS_OPERATOR_TESTING_OPERATOR_CLUSTER_H_
#define CONTROLLERS_OPERATOR_TESTING_OPERATOR_CLUSTER_H_

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "controllers/operator/operator_flags.h"
#include "controllers/operator/operator_metrics.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kTestCsvs = {"operators.coreos.com", "v1alpha1",
                                                     "clusterserviceversions"};
inline const kube::GroupVersionResource kTestSubscriptions = {"operators.coreos.com", "v1alpha1",
                                                              "subscriptions"};
inline const kube::GroupVersionResource kTestPlans = {"operators.coreos.com", "v1alpha1",
                                                      "installplans"};
inline const kube::GroupVersionResource kTestOperators = {"operators.coreos.com", "v1",
                                                          "operators"};
inline const kube::GroupVersionResource kTestDefinitions = {"apiextensions.k8s.io", "v1",
                                                            "customresourcedefinitions"};
inline const kube::GroupVersionResource kTestDeployments = {"apps", "v1", "deployments"};
inline const kube::GroupVersionResource kTestRoles = {"rbac.authorization.k8s.io", "v1", "roles"};
inline const kube::GroupVersionResource kTestConfigMaps = {"", "v1", "configmaps"};
inline const kube::GroupVersionResource kTestSecrets = {"", "v1", "secrets"};

// Its watches may be late.
class LaggingClient : public kube::HookClient {
 public:
  // REQUIRES: the references outlive this object.
  LaggingClient(kube::Client& inner, FakeClock& clock) : HookClient(inner), clock_(clock) {}

  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override;

  // Returns how late the next event is. Null: no event is late.
  std::function<absl::Duration()> lag;

 private:
  FakeClock& clock_;
};

// Serves every kind of component except OperatorConditions, which a cluster without OLM lacks.
class OperatorCluster {
 public:
  OperatorCluster();

  FakeClock& clock() { return clock_; }
  kube::FakeClient& fake() { return fake_; }
  LaggingClient& client() { return client_; }

  // --- What others do. `metadata`: further members, beginning with a comma.
  void PutCsv(const std::string& name, const std::string& metadata = "",
              const std::string& definition = "", const std::string& ns = "ops");
  void PutSubscription(const std::string& name, const std::string& package,
                       const std::string& status = "{}", const std::string& ns = "ops");
  // An object with the label olm.managed; `labels`: further ones, beginning with a comma.
  void PutManaged(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                  const std::string& labels = "", const std::string& metadata = "",
                  const std::string& more = "");
  void Merge(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
             std::string_view patch, std::string_view subresource = "");
  // Does nothing if there is no such object.
  void Remove(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name);

  // --- What is there. null: nothing.
  boost::json::value Find(const kube::GroupVersionResource& gvr,
                          const kube::NamespacedName& name) const;
  std::set<std::string> Operators() const;
  // The component labels, without their prefix.
  std::set<std::string> Labels(const kube::GroupVersionResource& gvr,
                               const kube::NamespacedName& name) const;
  // "Kind namespace/name", in their order.
  std::vector<std::string> Refs(const std::string& operator_name) const;

  using Seen = std::map<kube::NamespacedName, std::string>;
  // Brings a writer of Worlds to the present state.
  void Observe(storage::OperatorWriter& writer, Seen& seen, bool first);

 private:
  FakeClock clock_;
  kube::FakeClient fake_;
  LaggingClient client_{fake_, clock_};
  uint64_t observed_ = 0;
};

// "<reason> <object>: <message>", each once.
class OperatorEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override;
  std::set<std::string> told;
};

// Owner references to a ClusterServiceVersion of the cluster, as a member of metadata.
std::string OwnedBy(const OperatorCluster& cluster, const std::string& csv);
// OLM's owner labels, as further labels.
std::string OwnerLabels(const std::string& csv, const std::string& ns = "ops");

// Watches report everything at once, except for LaggingClient::lag. Worlds show
// ClusterServiceVersions as of the last Look.
class OperatorProcess {
 public:
  explicit OperatorProcess(OperatorCluster& cluster) : OperatorProcess(cluster, OperatorFlags()) {}
  OperatorProcess(OperatorCluster& cluster, const OperatorFlags& flags);
  ~OperatorProcess();

  kube::Hook& hook() { return hook_; }
  OperatorEvents& events() { return events_; }
  bool died() const { return hook_.died; }

  // Publishes the present ClusterServiceVersions, and runs everything that is due.
  void Look();
  // Looks until nothing more happens, including retries.
  void Finish();
  void Settle();

 private:
  OperatorCluster& cluster_;
  boost::asio::io_context io_{1};
  kube::Hook hook_;
  kube::HookClient client_;
  FixedRandom random_{0};
  prometheus::Registry registry_;
  OperatorMetrics metrics_{registry_};
  storage::WorldStore worlds_;
  storage::OperatorWriter writer_;
  OperatorCluster::Seen seen_;
  bool looked_ = false;
  MetadataWatches watches_;
  TestLeadership leadership_;
  OperatorEvents events_;
  const FeatureGates gates_ = FeatureGates({});
  Controller controller_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_TESTING_OPERATOR_CLUSTER_H_
