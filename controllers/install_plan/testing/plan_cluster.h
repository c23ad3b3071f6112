// Simulates a cluster on the embedded store, and a process that executes plans in it. Not
// thread-safe.
#ifndef CONTROLLERS_INSTALL_PLAN_TESTING_PLAN_CLUSTER_H_
#define CONTROLLERS_INSTALL_PLAN_TESTING_PLAN_CLUSTER_H_

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "controllers/install_plan/install_plan_flags.h"
#include "controllers/install_plan/install_plan_metrics.h"
#include "controllers/install_plan/plan_executor.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/reconciler_deps.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/testing/hook_client.h"
#include "storage/embedded/testing/test_store.h"
#include "storage/world/world_store.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kTestPlans = {"operators.coreos.com", "v1alpha1",
                                                      "installplans"};
inline const kube::GroupVersionResource kTestCsvs = {"operators.coreos.com", "v1alpha1",
                                                     "clusterserviceversions"};
inline const kube::GroupVersionResource kTestGroups = {"operators.coreos.com", "v1",
                                                       "operatorgroups"};
inline const kube::GroupVersionResource kTestDefinitions = {"apiextensions.k8s.io", "v1",
                                                            "customresourcedefinitions"};
inline const kube::GroupVersionResource kTestMonitors = {"monitoring.coreos.com", "v1",
                                                         "servicemonitors"};
inline const kube::GroupVersionResource kTestConfigMaps = {"", "v1", "configmaps"};
inline const kube::GroupVersionResource kTestSecrets = {"", "v1", "secrets"};
inline const kube::GroupVersionResource kTestAccounts = {"", "v1", "serviceaccounts"};
inline const kube::GroupVersionResource kTestRoles = {"rbac.authorization.k8s.io", "v1", "roles"};

// A step for a plan in a test.
struct TestStep {
  kube::GroupVersionKind gvk;
  std::string name;
  std::string manifest;  // JSON
  bool optional = false;
  std::string resolving = "reed.v1";
};

// Make steps with manifests. `metadata` and `more` are further members of metadata and of the
// object, beginning with a comma.
TestStep CsvStep(std::string_view metadata = "", std::string_view more = "");
TestStep DefinitionStep(std::string_view versions = "");  // of ServiceMonitors
TestStep MonitorStep(bool optional, std::string_view metadata = "");
TestStep ConfigMapStep(std::string_view name = "settings", std::string_view metadata = "");
TestStep AccountStep();
TestStep TokenStep();
TestStep RoleStep();
std::string DefinitionText(std::string_view versions = "");

// Has the namespaces ops and other, and the definition of InstallPlans; an OperatorGroup in ops,
// unless a test deletes it.
class PlanCluster {
 public:
  PlanCluster();

  FakeClock& clock() { return clock_; }
  kube::Client& client() { return store_.client(); }

  void Create(const kube::GroupVersionResource& gvr, const std::string& ns, std::string_view text);
  void Merge(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
             std::string_view patch, std::string_view subresource = "");
  void Remove(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name);
  // Returns null if the object does not exist.
  boost::json::value Find(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name);
  std::vector<boost::json::object> All(const kube::GroupVersionResource& gvr);

  // Creates the plan ops/`name` with its status.
  void AddPlan(const std::string& name, const std::vector<TestStep>& steps, bool approved = true);
  // Returns the plan's present status.
  boost::json::object Status(const std::string& name);
  std::string Phase(const std::string& name);
  std::string Message(const std::string& name);
  // Returns the statuses of the steps in the plan's order, like "Created Present".
  std::string Steps(const std::string& name);
  // Returns the condition, like "Installed=False InstallCheckFailed: message"; "" = no condition.
  std::string Condition(const std::string& name);

 private:
  FakeClock clock_;
  storage::TestStore store_;
};

// Records "<reason>: <message>" of each event.
class PlanEvents : public EventRecorder {
 public:
  void Record(const ObjectReference& about, EventType type, std::string_view reason,
              std::string_view message) override;
  std::vector<std::string> told;
};

// A process that executes the plans of a cluster, one pass at a time.
class PlanProcess {
 public:
  struct Options {
    bool gate = true;
    absl::Duration retry_timeout = absl::Minutes(1);
    // True if the hook also decides about the dry runs before the first write.
    bool hooks_dry_runs = false;
  };
  explicit PlanProcess(PlanCluster& cluster) : PlanProcess(cluster, Options()) {}
  PlanProcess(PlanCluster& cluster, Options options);
  ~PlanProcess();

  kube::Hook& hook() { return hook_; }
  PlanEvents& events() { return events_; }

  // Runs one pass over the plan ops/`name`. Nullopt: the process died in it and must not be used
  // again.
  std::optional<absl::StatusOr<ReconcileResult>> Pass(const std::string& name);
  // Runs passes until the plan has ended, at most `passes`. Between them it waits as long as the
  // result asks (a second after an error).
  void Settle(const std::string& name, int passes = 20);

 private:
  PlanCluster& cluster_;
  boost::asio::io_context idle_{1};
  std::unique_ptr<boost::asio::io_context> io_;
  kube::Hook hook_;
  kube::HookClient client_;
  FixedRandom random_{0};
  prometheus::Registry registry_;
  InstallPlanMetrics metrics_{registry_};
  storage::WorldStore worlds_;
  MetadataWatches watches_;
  TestLeadership leadership_;
  PlanEvents events_;
  FeatureGates gates_;
  PlanExecutor executor_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_INSTALL_PLAN_TESTING_PLAN_CLUSTER_H_
