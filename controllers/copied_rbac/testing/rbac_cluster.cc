#include "controllers/copied_rbac/testing/rbac_cluster.h"

#include <boost/json/parse.hpp>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/text/str_cat.h"
#include "controllers/copied_rbac/known_copied_rbac.h"
#include "controllers/runtime/reconciler_deps.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

std::string RulesOf(std::string_view verbs) {
  if (verbs.empty()) return "[]";
  std::string list;
  for (const auto verb : absl::StrSplit(absl::string_view(verbs.data(), verbs.size()), ',')) {
    StrAppend(&list, list.empty() ? "" : ",", "\"", ToStd(verb), "\"");
  }
  return StrCat(R"([{"apiGroups":[""],"resources":["secrets"],"verbs":[)", list, "]}]");
}

std::string UidOf(const json::value& object) {
  return std::string(object.at("metadata").at("uid").as_string());
}

}  // namespace

RbacCluster::RbacCluster() {
  for (const auto& gvr :
       {kTestRoles, kTestBindings, kTestClusterRoles, kTestClusterBindings, kTestOperators}) {
    fake().Serve(gvr);
  }
}

void RbacCluster::PutOperator(const std::string& name, std::string_view asked) {
  fake().Put(
      kTestCsvs,
      StrCat(R"({"metadata":{"name":")", name,
             R"(","namespace":"ops","labels":{"operators.coreos.com/)", name,
             R"(":""}},"spec":{"install":{"spec":{"permissions":[{"serviceAccountName":")", name,
             R"(","rules":)", RulesOf(asked), R"(}]}}},"status":{"phase":"Succeeded"}})"));
  if (Find(kTestOperators, {"", name}).is_null()) {
    fake().Put(kTestOperators, StrCat(R"({"metadata":{"name":")", name, "\"}}"));
  }
}

void RbacCluster::PutOriginal(const std::string& name, std::string_view verbs) {
  const std::string metadata =
      StrCat(R"("metadata":{"name":")", name, R"(","namespace":"ops","labels":{"olm.owner":")",
             name, R"(","olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"ops"},)",
             R"("ownerReferences":[{"apiVersion":"operators.coreos.com/v1alpha1",)",
             R"("kind":"ClusterServiceVersion","name":")", name, R"(","uid":")",
             UidOf(Find(kTestCsvs, {"ops", name})), "\"}]}");
  fake().Put(kTestRoles, StrCat("{", metadata, R"(,"rules":)", RulesOf(verbs), "}"));
  fake().Put(kTestBindings,
             StrCat("{", metadata, R"(,"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)",
                    R"("kind":"Role","name":")", name,
                    R"("},"subjects":[{"kind":"ServiceAccount","name":")", name,
                    R"(","namespace":"ops"}]})"));
}

void RbacCluster::PutCopiedCsv(const std::string& ns, const std::string& name) {
  fake().Put(kTestCsvs,
             StrCat(R"({"metadata":{"name":")", name, R"(","namespace":")", ns,
                    R"(","labels":{"olm.copiedFrom":"ops"},"annotations":)",
                    R"({"olm.operatorNamespace":"ops"}},"status":{"reason":"Copied"}})"));
}

void RbacCluster::PutRole(const kube::NamespacedName& name, std::string_view verbs,
                          const std::string& metadata) {
  fake().Put(kTestRoles, StrCat(R"({"metadata":{"name":")", name.name, R"(","namespace":")",
                                name.ns, "\"", metadata, R"(},"rules":)", RulesOf(verbs), "}"));
}

void RbacCluster::PutBinding(const kube::NamespacedName& name, const std::string& role,
                             const std::string& metadata) {
  fake().Put(
      kTestBindings,
      StrCat(R"({"metadata":{"name":")", name.name, R"(","namespace":")", name.ns, "\"", metadata,
             R"(},"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)", R"("kind":"Role","name":")",
             role, R"("},"subjects":[{"kind":"User","name":"mallory",)",
             R"("apiGroup":"rbac.authorization.k8s.io"}]})"));
}

Task<json::value> RbacCluster::Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                                      const json::value& object,
                                      const kube::WriteOptions& options) {
  json::value changed = object;
  if (rbac_webhook) rbac_webhook(gvr, changed.as_object());
  co_return co_await CopyCluster::Create(gvr, ns, changed, options);
}

Task<json::value> RbacCluster::Update(const kube::GroupVersionResource& gvr,
                                      const json::value& object,
                                      const kube::WriteOptions& options) {
  json::value changed = object;
  if (rbac_webhook) rbac_webhook(gvr, changed.as_object());
  co_return co_await CopyCluster::Update(gvr, changed, options);
}

void RbacCluster::Drop(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name) {
  if (fake().Objects(gvr).contains(name)) fake().Delete(gvr, name);
}

json::value RbacCluster::Find(const kube::GroupVersionResource& gvr,
                              const kube::NamespacedName& name) {
  const auto objects = fake().Objects(gvr);
  const auto it = objects.find(name);
  return it == objects.end() ? json::value() : json::parse(it->second);
}

void RbacEvents::Record(const ObjectReference& about, EventType /*type*/, std::string_view reason,
                        std::string_view /*message*/) {
  ++told[StrCat(reason, " ", about.name.ns, "/", about.name.name)];
}

RbacProcess::RbacProcess(RbacCluster& cluster, FakeClock& clock)
    : cluster_(cluster),
      clock_(clock),
      client_(cluster, hook_),
      watches_(client_, clock, random_, io_.get_executor()),
      controller_(
          KnownCopiedRbac().options,
          [this] {
            return std::make_unique<CopiedRbacReconciler>(
                ReconcilerDeps{client_, leadership_, worlds_, watches_, events_, clock_, random_,
                               registry_, gates_},
                metrics_);
          },
          io_.get_executor(), clock, registry_) {
  hook_.process = &io_;
  controller_.Start();
}

RbacProcess::~RbacProcess() {
  // After the death of the process its remaining code can do nothing.
  hook_.decide = [](const kube::HookedCall&) {
    kube::HookedFate fate;
    fate.error = absl::CancelledError("the process has ended");
    return fate;
  };
  (void)RunOn(io_, controller_.Stop(absl::ZeroDuration()));
  RunOn(io_, watches_.Stop());
}

void RbacProcess::Look() {
  if (died()) return;
  cluster_.Observe(writer_, seen_);
  worlds_.Publish(writer_.Snapshot());
  Settle();
}

void RbacProcess::Finish() {
  uint64_t revision = 0;
  for (int i = 0; i < 100 && !died(); ++i) {
    Look();
    for (int step = 0; step < 10; ++step) {
      clock_.Advance(absl::Seconds(5));
      Settle();
    }
    if (std::exchange(revision, cluster_.fake().revision()) == cluster_.fake().revision()) return;
  }
}

void RbacProcess::Settle() {
  if (died()) return;
  io_.restart();
  while (!died() && io_.poll() > 0) {
  }
}

}  // namespace steward::controllers
