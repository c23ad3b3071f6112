#include "controllers/install_plan/testing/plan_cluster.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kSpace[] = "ops";

void Must(const absl::Status& status, std::string_view what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", std::string(what).c_str(),
               std::string(status.message()).c_str());
  std::abort();
}

json::object Part(const json::value& object, const char* key) {
  const json::object* part = object.is_object() ? ObjectAt(object.get_object(), key) : nullptr;
  return part == nullptr ? json::object() : *part;
}

std::string ManifestOf(std::string_view api_version, std::string_view kind, std::string_view name,
                       std::string_view metadata, std::string_view more) {
  return StrCat(R"({"apiVersion":")", api_version, R"(","kind":")", kind,
                R"(","metadata":{"name":")", name, R"(")", metadata, "}", more, "}");
}

}  // namespace

TestStep CsvStep(std::string_view metadata, std::string_view more) {
  constexpr char kSpec[] = R"(,"spec":{"displayName":"Reed","install":{"strategy":"deployment"}})";
  return {{"operators.coreos.com", "v1alpha1", "ClusterServiceVersion"},
          "reed.v1",
          ManifestOf("operators.coreos.com/v1alpha1", "ClusterServiceVersion", "reed.v1", metadata,
                     more.empty() ? std::string_view(kSpec) : more)};
}

std::string DefinitionText(std::string_view versions) {
  constexpr char kVersions[] = R"({"name":"v1","served":true,"storage":true,"schema":)"
                               R"({"openAPIV3Schema":{"type":"object","properties":{"spec":)"
                               R"({"type":"object","properties":{"port":{"type":"string"}}}}}}})";
  return ManifestOf(
      "apiextensions.k8s.io/v1", "CustomResourceDefinition",
      "servicemonitors.monitoring.coreos.com", "",
      StrCat(R"(,"spec":{"group":"monitoring.coreos.com","scope":"Namespaced","names":{"plural":)",
             R"("servicemonitors","kind":"ServiceMonitor"},"versions":[)",
             versions.empty() ? std::string_view(kVersions) : versions, "]}"));
}

TestStep DefinitionStep(std::string_view versions) {
  return {{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"},
          "servicemonitors.monitoring.coreos.com",
          DefinitionText(versions)};
}

TestStep MonitorStep(bool optional, std::string_view metadata) {
  return {{"monitoring.coreos.com", "v1", "ServiceMonitor"},
          "reed",
          ManifestOf("monitoring.coreos.com/v1", "ServiceMonitor", "reed", metadata,
                     R"(,"spec":{"port":"metrics"})"),
          optional};
}

TestStep ConfigMapStep(std::string_view name, std::string_view metadata) {
  return {{"", "v1", "ConfigMap"},
          std::string(name),
          ManifestOf("v1", "ConfigMap", name, metadata, R"(,"data":{"a":"1"})")};
}

TestStep AccountStep() {
  return {{"", "v1", "ServiceAccount"}, "reed", ManifestOf("v1", "ServiceAccount", "reed", "", "")};
}

TestStep TokenStep() {
  return {{"", "v1", "Secret"},
          "token",
          ManifestOf("v1", "Secret", "token",
                     R"(,"annotations":{"kubernetes.io/service-account.name":"reed"})",
                     R"(,"type":"kubernetes.io/service-account-token")")};
}

TestStep RoleStep() {
  return {{"rbac.authorization.k8s.io", "v1", "Role"},
          "reed",
          ManifestOf("rbac.authorization.k8s.io/v1", "Role", "reed", "", R"(,"rules":[])")};
}

PlanCluster::PlanCluster() {
  for (const char* ns : {kSpace, "other", "olm"}) {
    Create({"", "v1", "namespaces"}, "", ManifestOf("v1", "Namespace", ns, "", ""));
  }
  Create(kTestGroups, kSpace,
         ManifestOf("operators.coreos.com/v1", "OperatorGroup", "group", "", R"(,"spec":{})"));
}

void PlanCluster::Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                         std::string_view text) {
  Must(store_.Create(gvr, ns, text).status(), text);
}

void PlanCluster::Merge(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                        std::string_view patch, std::string_view subresource) {
  kube::WriteOptions options;
  options.subresource = subresource;
  const json::value value = json::parse(patch);
  Must(store_.Run(client().Patch(gvr, name, kube::PatchType::kJsonMerge, value, options)).status(),
       patch);
}

void PlanCluster::Remove(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name) {
  const kube::DeleteOptions options;
  Must(store_.Run(client().Delete(gvr, name, options)).status(), name.name);
}

json::value PlanCluster::Find(const kube::GroupVersionResource& gvr,
                              const kube::NamespacedName& name) {
  const absl::StatusOr<kube::RawObject> raw = store_.Run(client().Get(gvr, name));
  if (kube::SaysNotFound(raw.status())) return nullptr;
  Must(raw.status(), name.name);
  return json::parse(raw->json);
}

std::vector<json::object> PlanCluster::All(const kube::GroupVersionResource& gvr) {
  const kube::ListOptions options;
  const absl::StatusOr<kube::ListPage> page = store_.Run(client().List(gvr, options));
  if (kube::SaysNotFound(page.status())) return {};
  Must(page.status(), gvr.resource);
  std::vector<json::object> all;
  for (const kube::RawObject& raw : page->items) all.push_back(json::parse(raw.json).as_object());
  return all;
}

void PlanCluster::AddPlan(const std::string& name, const std::vector<TestStep>& steps,
                          bool approved) {
  Create(
      kTestPlans, kSpace,
      ManifestOf("operators.coreos.com/v1alpha1", "InstallPlan", name, "",
                 StrCat(R"(,"spec":{"approval":"Manual","approved":)", approved ? "true" : "false",
                        R"(,"clusterServiceVersionNames":["reed.v1"]})")));
  json::array plan;
  for (const TestStep& step : steps) {
    json::object entry = {{"resolving", step.resolving},
                          {"status", "Unknown"},
                          {"resource",
                           {{"sourceName", "cat"},
                            {"sourceNamespace", "olm"},
                            {"group", step.gvk.group},
                            {"version", step.gvk.version},
                            {"kind", step.gvk.kind},
                            {"name", step.name},
                            {"manifest", step.manifest}}}};
    if (step.optional) entry["optional"] = true;
    plan.push_back(std::move(entry));
  }
  const json::object status = {{"phase", approved ? "Installing" : "RequiresApproval"},
                               {"catalogSources", json::array()},
                               {"plan", std::move(plan)}};
  Merge(kTestPlans, {kSpace, name}, Serialize(json::object{{"status", status}}), "status");
}

json::object PlanCluster::Status(const std::string& name) {
  return Part(Find(kTestPlans, {kSpace, name}), "status");
}
std::string PlanCluster::Phase(const std::string& name) {
  return std::string(StringAt(Status(name), "phase"));
}
std::string PlanCluster::Message(const std::string& name) {
  return std::string(StringAt(Status(name), "message"));
}
std::string PlanCluster::Steps(const std::string& name) {
  std::vector<std::string> all;
  const json::object status = Status(name);
  for (const json::value& step : status.at("plan").as_array()) {
    all.emplace_back(StringAt(step.as_object(), "status"));
  }
  return absl::StrJoin(all, " ");
}
std::string PlanCluster::Condition(const std::string& name) {
  const json::object status = Status(name);
  const json::array* conditions = ArrayAt(status, "conditions");
  if (conditions == nullptr || conditions->empty()) return "";
  const json::object& one = conditions->front().as_object();
  return StrCat(StringAt(one, "type"), "=", StringAt(one, "status"), " ", StringAt(one, "reason"),
                ": ", StringAt(one, "message"));
}

void PlanEvents::Record(const ObjectReference&, EventType, std::string_view reason,
                        std::string_view message) {
  told.push_back(StrCat(reason, ": ", message));
}

PlanProcess::PlanProcess(PlanCluster& cluster, Options options)
    : cluster_(cluster),
      io_(std::make_unique<boost::asio::io_context>(1)),
      client_(cluster.client(), hook_),
      worlds_(storage::kOperatorSources),
      watches_(client_, cluster.clock(), random_, idle_.get_executor()),
      gates_({{kOptionalManifestsGate, options.gate, "for this test"}}),
      executor_({client_, leadership_, worlds_, watches_, events_, cluster.clock(), random_,
                 registry_, gates_},
                metrics_, InstallPlanFlags{options.retry_timeout}) {
  hook_.process = io_.get();
  hook_.sees_dry_runs = options.hooks_dry_runs;
}

PlanProcess::~PlanProcess() { RunOn(idle_, watches_.Stop()); }

std::optional<absl::StatusOr<ReconcileResult>> PlanProcess::Pass(const std::string& name) {
  std::optional<absl::StatusOr<ReconcileResult>> result;
  std::exception_ptr thrown;
  boost::asio::co_spawn(*io_, executor_.Reconcile({kSpace, name}),
                        [&](std::exception_ptr e, absl::StatusOr<ReconcileResult> value) {
                          thrown = e;
                          result = std::move(value);
                          io_->stop();
                        });
  io_->restart();
  io_->run();
  if (thrown) std::rethrow_exception(thrown);
  // The reset drops all tasks under way.
  if (hook_.died) io_.reset();
  return result;
}

void PlanProcess::Settle(const std::string& name, int passes) {
  for (int i = 0; i < passes; ++i) {
    const auto result = Pass(name);
    const std::string phase = cluster_.Phase(name);
    if (!result || phase == "Complete" || phase == "Failed") return;
    absl::Duration wait = absl::Seconds(1);
    if (result->ok() && (*result)->requeue_after) wait = *(*result)->requeue_after;
    cluster_.clock().Advance(wait);
  }
}

}  // namespace steward::controllers
