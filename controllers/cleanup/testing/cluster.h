// A cluster on the embedded store with an operator to uninstall, for tests. Not thread-safe.
#ifndef CONTROLLERS_CLEANUP_TESTING_CLUSTER_H_
#define CONTROLLERS_CLEANUP_TESTING_CLUSTER_H_

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "base/clock/fake_clock.h"
#include "base/testing/test_directory.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/testing/fake_client.h"
#include "storage/embedded/embedded_client.h"
#include "storage/embedded/store/store.h"

namespace steward::controllers {

inline const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};  // namespaced
inline const kube::GroupVersionResource kGadgets = {"example.com", "v1", "gadgets"};  // cluster
// Namespaced; absent until a test adds them (AddKinds).
inline const kube::GroupVersionResource kGizmos = {"example.com", "v1", "gizmos"};
inline const kube::GroupVersionResource kCogs = {"example.com", "v1", "cogs"};
inline const std::vector<kube::GroupVersionResource> kOperandKinds = {kWidgets, kGadgets, kGizmos,
                                                                      kCogs};
inline const kube::GroupVersionResource kClusterRoles = {"rbac.authorization.k8s.io", "v1",
                                                         "clusterroles"};
inline const kube::NamespacedName kCsv = {"ops", "widget.v1"};
inline const kube::NamespacedName kGroup = {"ops", "group"};

class SeededRandom : public Random {
 public:
  explicit SeededRandom(uint64_t seed) : engine_(seed) {}
  double Uniform() override { return std::uniform_real_distribution<double>(0, 1)(engine_); }

 private:
  std::mt19937_64 engine_;
};

struct ClusterShape {
  // spec.targetNamespaces; {} = all; {"team=x"} = a selector.
  std::vector<std::string> targets = {"a", "b"};
  std::vector<std::string> owned = {"widgets.example.com", "gadgets.example.com"};
  std::string deployment = "widget-operator";  // "" = none
  bool opted_in = true;
  bool enabled = true;
  bool confirmed = true;           // the opt-in, by its label
  absl::Duration installed_after;  // since the policies exist
};

// Has the namespaces ops, a, b, c (a and b have the label team=x); definitions of widgets and
// gadgets; the CSV widget.v1 in ops with its OperatorGroup, Deployment and ClusterRole; the
// policies that protect opting in and deleting. Deployments live in a FakeClient, all other objects
// in the store. Tests themselves do the work of the cluster's controllers and of OLM.
class TestCluster {
 public:
  explicit TestCluster(const ClusterShape& shape = {}, uint64_t seed = 1);
  ~TestCluster();

  kube::Client& client() { return *client_; }
  FakeClock& clock() { return clock_; }
  template <typename T>
  T Run(boost::asio::awaitable<T> task) {
    return RunOn(io_, std::move(task));
  }
  void Run(VoidTask task) { RunOn(io_, std::move(task)); }
  boost::asio::io_context& io() { return io_; }

  // --- Awaitable, so that changes can happen during a call. A failure ends the test process,
  // unless the object to change or remove is absent.

  VoidTask Create(kube::GroupVersionResource gvr, std::string ns, std::string object);
  VoidTask Merge(kube::GroupVersionResource gvr, kube::NamespacedName name, std::string patch,
                 std::string subresource = "");
  VoidTask Remove(kube::GroupVersionResource gvr, kube::NamespacedName name,
                  kube::DeleteOptions options = {});
  // null when there is no such object.
  boost::asio::awaitable<boost::json::value> Find(kube::GroupVersionResource gvr,
                                                  kube::NamespacedName name);
  boost::asio::awaitable<std::vector<boost::json::value>> All(kube::GroupVersionResource gvr);

  VoidTask AddWidget(std::string ns, std::string name, bool with_finalizer);
  VoidTask AddGadget(std::string name, bool with_finalizer);
  // Adds the definitions of kGizmos and kCogs.
  VoidTask AddKinds();
  // Adds a gizmo or a cog.
  VoidTask AddOperand(kube::GroupVersionResource gvr, std::string ns, std::string name,
                      bool with_finalizer);
  // Adds another operator in ops, like widget.v1. `spec` is merged into its spec.
  VoidTask AddOperator(std::string name, std::vector<std::string> owned, bool opted_in,
                       std::string spec = "{}");
  // Lets the operator finish up to `most` CRs that are being deleted; returns their number.
  boost::asio::awaitable<int> OperatorFinishes(int most);
  VoidTask AddOtherCsv(std::string ns, std::string name, std::string spec);
  VoidTask SetGroup(std::string spec, std::vector<std::string> status);
  VoidTask CreateGroup(std::string spec, std::vector<std::string> status);
  // Does what OLM does to each CSV that is being deleted: deletes its ClusterRoles, and when they
  // are gone removes its own finalizer.
  VoidTask OlmCleansUp();
  // Removes the definition's finalizer, as when its objects are gone.
  VoidTask FinishCrd(std::string name);
  // Creates a definition anew, with another UID, if it is gone or being deleted.
  VoidTask RecreateCrd(std::string name);
  // Deletes the definition of CSVs, and all CSVs with it.
  VoidTask TerminateCsvs();
  VoidTask AddNamespace(std::string name);
  // Finalizes a namespace by hand, whatever it contains, and creates it again.
  VoidTask RemakeNamespace(std::string name);
  // Deletes a namespace and its objects, but the namespace stays Terminating.
  VoidTask TerminateNamespace(std::string name);
  void SetDeployment(const std::string& name, bool there);

  // --- Blocking.
  void DeleteCsv(kube::DeleteOptions options = {}) { Run(Remove(kCsvs, kCsv, options)); }
  // The present value of the label that confirms opt-ins.
  std::string Proof();
  boost::json::value Csv() { return Run(Find(kCsvs, kCsv)); }
  bool HasFinalizer(const std::string& finalizer);
  // The condition with this reason, as "reason: message"; "" when there is none.
  std::string Condition(const std::string& reason, const kube::NamespacedName& csv = kCsv);
  // "" when the CSV has no such annotation, or there is no such CSV.
  std::string Annotation(std::string_view key, const kube::NamespacedName& csv = kCsv);
  std::vector<std::string> Names(const kube::GroupVersionResource& gvr);

 private:
  class Router;
  VoidTask Build(ClusterShape shape);
  boost::asio::awaitable<std::string> OptInProof();
  VoidTask CreateCsv(std::string csv);
  VoidTask GrantTo(std::string csv);
  VoidTask OlmCleansUp(boost::json::value csv, std::vector<boost::json::value> roles);

  FakeClock clock_;
  SeededRandom random_;
  boost::asio::io_context io_{1};
  std::unique_ptr<TestDirectory> directory_;
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<storage::EmbeddedClient> embedded_;
  kube::FakeClient deployments_;
  std::unique_ptr<kube::Client> client_;
};

// A merge patch that gives an object an owner of another kind.
inline constexpr char kWithOwner[] =
    R"({"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"m","uid":"m"}]}})";

std::string MetadataText(const boost::json::value& object, std::string_view key);
// The label that says that an opt-in was authorised by this policy and binding (R-000-76).
std::string ProofOf(const boost::json::value& policy, const boost::json::value& binding);
bool IsMarked(const boost::json::value& object);
std::vector<std::string> FinalizersOf(const boost::json::value& object);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_TESTING_CLUSTER_H_
