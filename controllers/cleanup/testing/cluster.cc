#include "controllers/cleanup/testing/cluster.h"

#include <stdlib.h>
#include <sys/stat.h>

#include <algorithm>
#include <boost/json/parse.hpp>
#include <cstdio>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

void Must(const absl::Status& status, std::string_view what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", std::string(what).c_str(),
               std::string(status.message()).c_str());
  std::abort();
}

bool IsGone(const absl::Status& status) { return kube::HasReason(status, "NotFound"); }

// A store on a file system in memory is many times faster, and survives what these tests do.
std::unique_ptr<storage::TestDirectory> FastDirectory() {
  struct stat memory;
  if (stat("/dev/shm", &memory) == 0) setenv("TMPDIR", "/dev/shm", /*overwrite=*/1);
  return std::make_unique<storage::TestDirectory>();
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

std::string List(const std::vector<std::string>& words) {
  return Serialize(json::array(words.begin(), words.end()));
}

std::string CrdText(const std::string& group, const std::string& plural, const std::string& kind,
                    bool namespaced, bool two_versions = false) {
  return StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)",
                R"("metadata":{"name":")", plural, ".", group,
                R"(","labels":{"olm.managed":"true"}},"spec":{"group":")", group, R"(","scope":")",
                namespaced ? "Namespaced" : "Cluster", R"(","names":{"plural":")", plural,
                R"(","kind":")", kind,
                R"("},"versions":[{"name":"v1","served":true,"storage":true})",
                two_versions ? R"(,{"name":"v1beta1","served":true,"storage":false})" : "", "]}}");
}

std::string GroupText(const std::string& spec) {
  return StrCat(R"({"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup",)",
                R"("metadata":{"name":"group","namespace":"ops"},"spec":)", spec, "}");
}

std::string SpecFor(const std::vector<std::string>& targets) {
  if (targets.empty()) return "{}";
  if (targets[0].find('=') != std::string::npos) {
    const size_t eq = targets[0].find('=');
    return StrCat(R"({"selector":{"matchLabels":{")", targets[0].substr(0, eq), R"(":")",
                  targets[0].substr(eq + 1), R"("}}})");
  }
  return StrCat(R"({"targetNamespaces":)", List(targets), "}");
}

std::vector<std::string> StatusFor(const std::vector<std::string>& targets) {
  if (targets.empty()) return {""};
  if (targets[0].find('=') != std::string::npos) return {"a", "b"};
  return targets;
}

std::string CsvText(const ClusterShape& shape, const std::string& policy_uid) {
  std::string owned;
  for (const std::string& crd : shape.owned) {
    StrAppend(&owned, owned.empty() ? "" : ",", R"({"name":")", crd,
              R"(","version":"v1","kind":"K"})");
  }
  return StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
                R"("metadata":{"name":"widget.v1","namespace":"ops",)",
                shape.confirmed ? StrCat(R"("annotations":{)", Quoted(olm::kConfirmedAnnotation),
                                         ":", Quoted(policy_uid), "},")
                                : "",
                R"("finalizers":)", R"(["operators.coreos.com/csv-cleanup")",
                shape.opted_in ? StrCat(",", Quoted(olm::kCleanupFinalizer)) : "", R"(]},"spec":{)",
                shape.enabled ? R"("cleanup":{"enabled":true},)" : "",
                R"("customresourcedefinitions":{"owned":[)", owned,
                R"(]},"install":{"spec":{"deployments":[)",
                shape.deployment.empty() ? "" : StrCat(R"({"name":")", shape.deployment, R"("})"),
                "]}}}}");
}

std::string PolicyText(std::string_view name, std::string_view operations) {
  return StrCat(
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",)",
      R"("metadata":{"name":")", name, R"("},"spec":{"failurePolicy":"Fail",)",
      R"("matchConstraints":{"resourceRules":[{"apiGroups":["operators.coreos.com"],)",
      R"("apiVersions":["*"],"operations":[)", operations,
      R"(],"resources":["clusterserviceversions"]}]},"validations":[{"expression":"false"}]}})");
}

std::string BindingText(std::string_view policy) {
  return StrCat(R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":)",
                R"("ValidatingAdmissionPolicyBinding","metadata":{"name":")", policy,
                R"("},"spec":{"policyName":")", policy, R"(","validationActions":["Deny"]}})");
}

}  // namespace

std::string MetadataText(const json::value& object, std::string_view key) {
  const json::object* metadata = ObjectAt(object.as_object(), "metadata");
  return metadata == nullptr ? "" : std::string(StringAt(*metadata, key));
}
bool IsMarked(const json::value& object) {
  return !MetadataText(object, "deletionTimestamp").empty();
}
std::vector<std::string> FinalizersOf(const json::value& object) {
  std::vector<std::string> finalizers;
  const json::array* list = ArrayAt(*ObjectAt(object.as_object(), "metadata"), "finalizers");
  if (list == nullptr) return finalizers;
  for (const json::value& finalizer : *list) finalizers.emplace_back(finalizer.as_string());
  return finalizers;
}

// Deployments here, everything else there.
class TestCluster::Router : public kube::Client {
 public:
  Router(kube::Client& deployments, kube::Client& rest) : deployments_(deployments), rest_(rest) {}

  Task<kube::RawObject> Get(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) override {
    return For(gvr).Get(gvr, name);
  }
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    return For(gvr).List(gvr, options);
  }
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    return For(gvr).StartWatch(gvr, options);
  }
  Task<json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                           const json::value& object, const kube::WriteOptions& options) override {
    return For(gvr).Create(gvr, ns, object, options);
  }
  Task<json::value> Update(const kube::GroupVersionResource& gvr, const json::value& object,
                           const kube::WriteOptions& options) override {
    return For(gvr).Update(gvr, object, options);
  }
  Task<json::value> Patch(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                          kube::PatchType type, const json::value& patch,
                          const kube::WriteOptions& options) override {
    return For(gvr).Patch(gvr, name, type, patch, options);
  }
  Task<json::value> Delete(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                           const kube::DeleteOptions& options) override {
    return For(gvr).Delete(gvr, name, options);
  }

 private:
  kube::Client& For(const kube::GroupVersionResource& gvr) {
    return gvr.group == "apps" ? deployments_ : rest_;
  }
  kube::Client& deployments_;
  kube::Client& rest_;
};

TestCluster::TestCluster(const ClusterShape& shape, uint64_t seed)
    : random_(seed), directory_(FastDirectory()) {
  storage::StoreOptions options;
  options.directory = directory_->path();
  absl::StatusOr<std::unique_ptr<storage::Store>> store =
      storage::Store::Open(std::move(options), clock_);
  Must(store.status(), "open");
  store_ = *std::move(store);
  embedded_ = std::make_unique<storage::EmbeddedClient>(*store_, clock_, random_);
  deployments_.Serve(kDeployments);
  client_ = std::make_unique<Router>(deployments_, *embedded_);
  Run(Build(shape));
}

TestCluster::~TestCluster() = default;

VoidTask TestCluster::Build(ClusterShape shape) {
  const std::string admission = "admissionregistration.k8s.io";
  for (const auto& [plural, kind] :
       {std::pair{"validatingadmissionpolicies", "ValidatingAdmissionPolicy"},
        std::pair{"validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"},
        std::pair{"mutatingwebhookconfigurations", "MutatingWebhookConfiguration"},
        std::pair{"validatingwebhookconfigurations", "ValidatingWebhookConfiguration"}}) {
    co_await Create(kCrds, "", CrdText(admission, plural, kind, false));
  }
  co_await Create(kCrds, "", CrdText("example.com", "widgets", "Widget", true, true));
  co_await Create(kCrds, "", CrdText("example.com", "gadgets", "Gadget", false));
  for (const auto& [policy, operations] : {std::pair{olm::kOptInPolicy, R"("CREATE","UPDATE")"},
                                           std::pair{olm::kUninstallPolicy, R"("DELETE")"}}) {
    co_await Create(kPolicies, "", PolicyText(policy, operations));
    co_await Create(kPolicyBindings, "", BindingText(policy));
  }
  for (const char* ns : {"ops", "a", "b", "c"}) {
    const bool labelled = std::string_view(ns) == "a" || std::string_view(ns) == "b";
    std::string text = StrCat(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")", ns,
                              "\"", labelled ? R"(,"labels":{"team":"x"})" : "", "}}");
    co_await Create(kNamespaces, "", std::move(text));
  }
  std::string spec = SpecFor(shape.targets);
  std::vector<std::string> status = StatusFor(shape.targets);
  co_await CreateGroup(std::move(spec), std::move(status));
  kube::NamespacedName opt_in{"", std::string(olm::kOptInPolicy)};
  const json::value policy = co_await Find(kPolicies, std::move(opt_in));
  clock_.Advance(shape.installed_after);
  std::string csv = CsvText(shape, MetadataText(policy, "uid"));
  co_await Create(kCsvs, "ops", std::move(csv));
  co_await Merge(kCsvs, kCsv,
                 R"({"status":{"phase":"Succeeded","reason":"InstallSucceeded","conditions":)"
                 R"([{"phase":"Succeeded","reason":"InstallSucceeded"}]}})",
                 "status");
  if (!shape.deployment.empty()) SetDeployment(shape.deployment, true);
  co_await Create(
      kClusterRoles, "",
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":)"
      R"({"name":"widget-role","labels":{"olm.owner":"widget.v1","olm.owner.namespace":"ops",)"
      R"("olm.owner.kind":"ClusterServiceVersion"}}})");
}

std::string TestCluster::PolicyUid() {
  return MetadataText(Run(Find(kPolicies, {"", std::string(olm::kOptInPolicy)})), "uid");
}

VoidTask TestCluster::Create(kube::GroupVersionResource gvr, std::string ns, std::string object) {
  const kube::WriteOptions options;
  const json::value value = json::parse(object);
  const absl::StatusOr<json::value> made = co_await client_->Create(gvr, ns, value, options);
  if (!kube::HasReason(made.status(), "AlreadyExists") && !IsGone(made.status()) &&
      !kube::HasReason(made.status(), "Forbidden")) {
    Must(made.status(), object);
  }
}

VoidTask TestCluster::Merge(kube::GroupVersionResource gvr, kube::NamespacedName name,
                            std::string patch, std::string subresource) {
  kube::WriteOptions options;
  options.subresource = std::move(subresource);
  const json::value value = json::parse(patch);
  const absl::StatusOr<json::value> made =
      co_await client_->Patch(gvr, name, kube::PatchType::kJsonMerge, value, options);
  if (!IsGone(made.status())) Must(made.status(), patch);
}

VoidTask TestCluster::Remove(kube::GroupVersionResource gvr, kube::NamespacedName name,
                             kube::DeleteOptions options) {
  const absl::StatusOr<json::value> made = co_await client_->Delete(gvr, name, options);
  if (!IsGone(made.status())) Must(made.status(), name.name);
}

boost::asio::awaitable<json::value> TestCluster::Find(kube::GroupVersionResource gvr,
                                                      kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client_->Get(gvr, name);
  if (IsGone(raw.status())) co_return json::value();
  Must(raw.status(), name.name);
  co_return json::parse(json::string_view(raw->json.data(), raw->json.size()));
}

boost::asio::awaitable<std::vector<json::value>> TestCluster::All(kube::GroupVersionResource gvr) {
  std::vector<json::value> all;
  const kube::ListOptions options;
  const absl::StatusOr<kube::ListPage> page = co_await client_->List(gvr, options);
  if (IsGone(page.status())) co_return all;
  Must(page.status(), gvr.resource);
  for (const kube::RawObject& raw : page->items) {
    all.push_back(json::parse(json::string_view(raw.json.data(), raw.json.size())));
  }
  co_return all;
}

VoidTask TestCluster::AddWidget(std::string ns, std::string name, bool with_finalizer) {
  std::string text =
      StrCat(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":")", name,
             R"(","namespace":")", ns, "\"",
             with_finalizer ? R"(,"finalizers":["example.com/work"])" : "", "}}");
  co_await Create(kWidgets, std::move(ns), std::move(text));
}

VoidTask TestCluster::AddGadget(std::string name, bool with_finalizer) {
  std::string text =
      StrCat(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":")", name, "\"",
             with_finalizer ? R"(,"finalizers":["example.com/work"])" : "", "}}");
  co_await Create(kGadgets, "", std::move(text));
}

boost::asio::awaitable<int> TestCluster::OperatorFinishes(int most) {
  int finished = 0;
  for (const kube::GroupVersionResource& gvr : {kWidgets, kGadgets}) {
    const std::vector<json::value> all = co_await All(gvr);
    for (const json::value& object : all) {
      if (!IsMarked(object) || finished >= most) continue;
      kube::NamespacedName name{MetadataText(object, "namespace"), MetadataText(object, "name")};
      co_await Merge(gvr, std::move(name), R"({"metadata":{"finalizers":null}})");
      ++finished;
    }
  }
  co_return finished;
}

VoidTask TestCluster::AddOtherCsv(std::string ns, std::string name, std::string spec) {
  std::string text =
      StrCat(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
             R"("metadata":{"name":")", name, R"("},"spec":)", spec, "}");
  co_await Create(kCsvs, std::move(ns), std::move(text));
}

VoidTask TestCluster::SetGroup(std::string spec, std::vector<std::string> status) {
  // What the patch does not name goes.
  json::value wanted = json::parse(spec);
  for (const char* key : {"targetNamespaces", "selector"}) {
    if (!wanted.as_object().contains(key)) wanted.as_object()[key] = nullptr;
  }
  std::string patch = Serialize(json::object{{"spec", std::move(wanted)}});
  co_await Merge(kOperatorGroups, kGroup, std::move(patch));
  std::string said = StrCat(R"({"status":{"namespaces":)",
                            status.empty() ? std::string("null") : List(status), "}}");
  co_await Merge(kOperatorGroups, kGroup, std::move(said), "status");
}

VoidTask TestCluster::CreateGroup(std::string spec, std::vector<std::string> status) {
  std::string text = GroupText(spec);
  co_await Create(kOperatorGroups, "ops", std::move(text));
  std::string said = StrCat(R"({"status":{"namespaces":)",
                            status.empty() ? std::string("null") : List(status), "}}");
  co_await Merge(kOperatorGroups, kGroup, std::move(said), "status");
}

VoidTask TestCluster::OlmCleansUp() {
  const json::value csv = co_await Find(kCsvs, kCsv);
  if (csv.is_null() || !IsMarked(csv)) co_return;
  bool left = false;
  const std::vector<json::value> roles = co_await All(kClusterRoles);
  for (const json::value& role : roles) {
    const json::object* labels = ObjectAt(*ObjectAt(role.as_object(), "metadata"), "labels");
    if (labels == nullptr || StringAt(*labels, "olm.owner") != kCsv.name) continue;
    kube::NamespacedName name{"", MetadataText(role, "name")};
    co_await Remove(kClusterRoles, name);
    const json::value still = co_await Find(kClusterRoles, name);
    left = left || !still.is_null();
  }
  if (left) co_return;
  std::vector<std::string> finalizers = FinalizersOf(csv);
  finalizers.erase(
      std::remove(finalizers.begin(), finalizers.end(), "operators.coreos.com/csv-cleanup"),
      finalizers.end());
  std::string patch = StrCat(R"({"metadata":{"finalizers":)", List(finalizers), "}}");
  co_await Merge(kCsvs, kCsv, std::move(patch));
}

VoidTask TestCluster::FinishCrd(std::string name) {
  const kube::NamespacedName key{"", name};
  const json::value crd = co_await Find(kCrds, key);
  if (crd.is_null() || !IsMarked(crd)) co_return;
  const kube::GroupVersionResource gvr = name == "widgets.example.com" ? kWidgets : kGadgets;
  const std::vector<json::value> all = co_await All(gvr);
  for (const json::value& object : all) {
    kube::NamespacedName one{MetadataText(object, "namespace"), MetadataText(object, "name")};
    co_await Merge(gvr, one, R"({"metadata":{"finalizers":null}})");
    co_await Remove(gvr, one);
  }
  co_await Merge(kCrds, key, R"({"metadata":{"finalizers":null}})");
}

void TestCluster::SetDeployment(const std::string& name, bool there) {
  if (!there) {
    deployments_.Delete(kDeployments, {"ops", name});
    return;
  }
  deployments_.Put(kDeployments,
                   StrCat(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")",
                          name, R"(","namespace":"ops"}})"));
}

bool TestCluster::HasFinalizer(const std::string& finalizer) {
  const json::value csv = Csv();
  if (csv.is_null()) return false;
  const std::vector<std::string> finalizers = FinalizersOf(csv);
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

std::string TestCluster::Condition(const std::string& reason) {
  const json::value csv = Csv();
  const json::object* status = csv.is_null() ? nullptr : ObjectAt(csv.as_object(), "status");
  const json::array* conditions = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  std::string found;
  if (conditions == nullptr) return found;
  for (const json::value& condition : *conditions) {
    if (StringAt(condition.as_object(), "reason") != reason) continue;
    StrAppend(&found, reason, ": ", StringAt(condition.as_object(), "message"));
  }
  return found;
}

std::string TestCluster::Annotation(std::string_view key) {
  const json::value csv = Csv();
  if (csv.is_null()) return "";
  const json::object* annotations = ObjectAt(*ObjectAt(csv.as_object(), "metadata"), "annotations");
  return annotations == nullptr ? "" : std::string(StringAt(*annotations, key));
}

std::vector<std::string> TestCluster::Names(const kube::GroupVersionResource& gvr) {
  std::vector<std::string> names;
  for (const json::value& object : Run(All(gvr))) {
    const std::string ns = MetadataText(object, "namespace");
    names.push_back(ns.empty() ? MetadataText(object, "name")
                               : StrCat(ns, "/", MetadataText(object, "name")));
  }
  return names;
}

}  // namespace steward::controllers
