#include "plugin/testing/scene.h"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include "base/json/json_access.h"
#include "base/text/str_cat.h"
#include "olm/copy.h"
#include "plugin/cluster/resources.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

std::string CrdText(const std::string& plural, const std::string& kind, const std::string& scope) {
  return StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)",
                R"("metadata":{"name":")", plural,
                R"(.example.com","labels":{"olm.managed":"true"}},)",
                R"("spec":{"group":"example.com",)", R"("scope":")", scope,
                R"(","names":{"plural":")", plural, R"(","kind":")", kind,
                R"("},"versions":[{"name":"v1","served":true,"storage":true}]},)",
                R"("status":{"conditions":[{"type":"Established","status":"True"}]}})");
}

json::object& MetadataOf(json::value& object) { return object.at("metadata").as_object(); }

bool IsMarked(const json::value& object) {
  return object.at("metadata").as_object().contains("deletionTimestamp");
}

}  // namespace

TestScene::TestScene() {
  for (const kube::GroupVersionResource& gvr :
       {kCsvs, kSubscriptions, kInstallPlans, kOperatorGroups, kCrds, kCleanupStatuses, kWidgets,
        kGadgets, kPolicies, kPolicyBindings}) {
    fake.Serve(gvr);
  }
  PutOptInPolicy();
  fake.Put(kCrds, CrdText("widgets", "Widget", "Namespaced"));
  fake.Put(kCrds, CrdText("gadgets", "Gadget", "Cluster"));
  fake.Put(kOperatorGroups, R"({"metadata":{"name":"group","namespace":"ops"},"spec":{},)"
                            R"("status":{"namespaces":["a","b"]}})");
  PutCsv(R"("operators.coreos.com/csv-cleanup")", true);
  PutView("NotOptedIn", false, R"(["a","b"])",
          R"({"reason":"NotOptedIn","message":"nobody opted in"})");
  clock.on_sleep = [this] { ControllersStep(); };
}

void TestScene::PutOptInPolicy() {
  fake.Put(kPolicies, R"({"metadata":{"name":"steward-cleanup-opt-in","uid":"policy-uid"},"spec":)"
                      R"({"failurePolicy":"Fail","validations":[{"expression":"false"}],)"
                      R"("matchConstraints":{"resourceRules":[{"apiGroups":["*"],)"
                      R"("apiVersions":["*"],"operations":["*"],"resources":["*"]}]}}})");
  fake.Put(kPolicyBindings,
           R"({"metadata":{"name":"steward-cleanup-opt-in","uid":"binding-uid","generation":1},)"
           R"("spec":{"policyName":"steward-cleanup-opt-in","validationActions":["Deny"]}})");
}

Session TestScene::session() {
  TerminalOptions options;
  options.write = [this](std::string_view bytes) {
    screen += bytes;
    answer += bytes;
  };
  options.write_aside = [this](std::string_view bytes) { screen += bytes; };
  options.live = live;
  options.columns = [] { return 80; };
  if (can_ask) {
    options.read_line = [this]() -> std::optional<std::string> {
      if (on_ask) on_ask();
      if (answers.empty()) return std::nullopt;
      std::string answer = answers.front();
      answers.pop_front();
      return answer;
    };
  }
  terminal_.emplace(std::move(options));
  return Session{client, clock, *terminal_, document, yes};
}

void TestScene::PutCsv(const std::string& finalizers, bool enabled, const std::string& conditions) {
  fake.Put(
      kCsvs,
      StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
             R"("metadata":{"name":"widget.v1","namespace":"ops","finalizers":[)", finalizers,
             R"(]},"spec":{"displayName":"Widgets","version":"1.0.0","cleanup":{"enabled":)",
             enabled ? "true" : "false",
             R"(},"customresourcedefinitions":{"owned":[{"name":"widgets.example.com",)",
             R"("version":"v1","kind":"Widget"},{"name":"gadgets.example.com",)",
             R"("version":"v1","kind":"Gadget"}]}},"status":{"phase":"Succeeded",)",
             R"("conditions":[)", conditions, "]}}"));
}

void TestScene::PutView(const std::string& phase, bool opted_in, const std::string& targets,
                        const std::string& blockers) {
  fake.Put(kCleanupStatuses,
           StrCat(R"({"metadata":{"name":"widget.v1","namespace":"ops",)",
                  R"("creationTimestamp":"2023-11-14T20:13:20Z"},"status":{"enabled":true,)",
                  R"("optedIn":)", opted_in ? "true" : "false", R"(,"phase":")", phase,
                  R"(","targetNamespaces":)", targets, R"(,"resources":[{"group":"example.com",)",
                  R"("kind":"Widget","plural":"widgets"}],"pendingCount":0,"blockers":[)", blockers,
                  "]}}"));
}

void TestScene::PutWidget(const std::string& ns, const std::string& name, const std::string& more) {
  fake.Put(kWidgets,
           StrCat(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")", name,
                  R"(","namespace":")", ns, R"(","finalizers":["example.com/f"],)",
                  R"("managedFields":[{}]},"spec":{"size":3},"status":{"ready":true})", more, "}"));
}

void TestScene::PutGadget(const std::string& name) {
  fake.Put(kGadgets,
           StrCat(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":")", name,
                  R"("}})"));
}

void TestScene::PutSubscription(const std::string& name, const std::string& spec,
                                const std::string& status) {
  fake.Put(kSubscriptions, StrCat(R"({"metadata":{"namespace":"ops","name":")", name,
                                  R"("},"spec":)", spec, R"(,"status":)", status, "}"));
}

void TestScene::PutInstallPlan(const std::string& name, const std::string& csv,
                               const std::string& phase) {
  fake.Put(kInstallPlans, StrCat(R"({"metadata":{"namespace":"ops","name":")", name,
                                 R"("},"spec":{"clusterServiceVersionNames":[")", csv,
                                 R"("]},"status":{"phase":")", phase, R"("}})"));
}

json::value TestScene::Object(const kube::GroupVersionResource& gvr,
                              const kube::NamespacedName& name) const {
  const std::map<kube::NamespacedName, std::string> objects = fake.Objects(gvr);
  const auto found = objects.find(name);
  return found == objects.end() ? json::value() : json::parse(found->second);
}

bool TestScene::Has(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name) const {
  return !Object(gvr, name).is_null();
}

std::vector<std::string> TestScene::Names(const kube::GroupVersionResource& gvr) const {
  std::vector<std::string> names;
  for (const auto& [name, text] : fake.Objects(gvr)) {
    names.push_back(name.ns.empty() ? name.name : StrCat(name.ns, "/", name.name));
  }
  return names;
}

bool TestScene::HasFinalizer(const std::string& finalizer) const {
  const json::value csv = Object(kCsvs, kCsv);
  if (csv.is_null()) return false;
  for (const json::value& each : csv.at("metadata").at("finalizers").as_array()) {
    if (each == json::value(finalizer)) return true;
  }
  return false;
}

bool TestScene::CsvIsDeleting() const {
  const json::value csv = Object(kCsvs, kCsv);
  return !csv.is_null() && IsMarked(csv);
}

void TestScene::Own(const std::string& list, const std::string& entry) {
  json::value csv = Object(kCsvs, kCsv);
  json::object& spec = csv.at("spec").as_object();
  json::object& kinds = spec.emplace(list, json::object()).first->value().as_object();
  json::array& owned = kinds.emplace("owned", json::array()).first->value().as_array();
  owned.push_back(json::parse(entry));
  fake.Put(kCsvs, json::serialize(csv));
}

void TestScene::LetGo() {
  PutView("Deleting", false);
  fake.Delete(kCsvs, kCsv);
}

void TestScene::ControllersStep() {
  json::value csv = Object(kCsvs, kCsv);
  if (csv.is_null()) return;
  const bool opted_in = HasFinalizer(std::string(olm::kCleanupFinalizer));
  if (!IsMarked(csv)) {
    PutView(opted_in ? phase_when_opted_in : "NotOptedIn", opted_in, R"(["a","b"])",
            blockers_when_opted_in);
    if (opted_in && holds_rights) {
      csv.at("status").as_object()["conditions"] =
          json::parse(R"([{"reason":"RightsHeld","message":"held"}])");
      fake.Put(kCsvs, json::serialize(csv));
    }
    return;
  }
  if (!opted_in || !csv.at("spec").at("cleanup").at("enabled").as_bool()) return LetGo();
  bool left = false;
  for (const auto& [name, text] : fake.Objects(kWidgets)) {
    if (name.ns != "a" && name.ns != "b") continue;
    json::value widget = json::parse(text);
    if (IsMarked(widget)) {
      fake.Delete(kWidgets, name);
      return;
    }
    MetadataOf(widget)["deletionTimestamp"] = "2023-11-14T22:13:20Z";
    fake.Put(kWidgets, json::serialize(widget));
    left = true;
  }
  if (!left) LetGo();
}

}  // namespace steward::plugin
