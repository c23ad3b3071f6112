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
#include "kube/meta/errors.h"
#include "kube/meta/user_info.h"
#include "kube/meta/uuid.h"
#include "kube/testing/hook_client.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"
#include "storage/embedded/operations/write_operations.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

void Must(const absl::Status& status, std::string_view what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", std::string(what).c_str(),
               std::string(status.message()).c_str());
  std::abort();
}

// A store on a file system in memory is many times faster, and lasts long enough for tests.
std::unique_ptr<TestDirectory> FastDirectory() {
  struct stat memory;
  if (stat("/dev/shm", &memory) == 0) setenv("TMPDIR", "/dev/shm", /*overwrite=*/1);
  return std::make_unique<TestDirectory>();
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

std::string List(const std::vector<std::string>& words) {
  return Serialize(json::array(words.begin(), words.end()));
}

constexpr char kAnySchema[] =
    R"("schema":{"openAPIV3Schema":{"type":"object","x-kubernetes-preserve-unknown-fields":true}})";

std::string CrdText(const std::string& group, const std::string& plural, const std::string& kind,
                    bool namespaced, bool two_versions = false) {
  return StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)",
                R"("metadata":{"name":")", plural, ".", group,
                R"(","labels":{"olm.managed":"true"}},"spec":{"group":")", group, R"(","scope":")",
                namespaced ? "Namespaced" : "Cluster", R"(","names":{"plural":")", plural,
                R"(","kind":")", kind,
                R"("},"versions":[{"name":"v1","served":true,"storage":true,)", kAnySchema, "}",
                two_versions ? R"(,{"name":"v1beta1","served":true,"storage":false,)" : "",
                two_versions ? StrCat(kAnySchema, "}") : "", "]}}");
}

constexpr char kCsvCrd[] =
    R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",)"
    R"("metadata":{"name":"clusterserviceversions.operators.coreos.com"},)"
    R"("spec":{"group":"operators.coreos.com","scope":"Namespaced",)"
    R"("names":{"plural":"clusterserviceversions","kind":"ClusterServiceVersion"},)"
    R"("versions":[{"name":"v1alpha1","served":true,"storage":true,"schema":{"openAPIV3Schema":)"
    R"({"type":"object","x-kubernetes-preserve-unknown-fields":true}},)"
    R"("subresources":{"status":{}}}]}})";

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

std::string CsvText(const ClusterShape& shape, const std::string& proof,
                    std::string_view name = "widget.v1") {
  std::string owned;
  for (const std::string& crd : shape.owned) {
    StrAppend(&owned, owned.empty() ? "" : ",", R"({"name":")", crd,
              R"(","version":"v1","kind":"K"})");
  }
  return StrCat(
      R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)",
      R"("metadata":{"name":")", name, R"(","namespace":"ops",)",
      shape.confirmed
          ? StrCat(R"("labels":{)", Quoted(olm::kConfirmedLabel), ":", Quoted(proof), "},")
          : "",
      R"("finalizers":)", R"(["operators.coreos.com/csv-cleanup")",
      shape.opted_in ? StrCat(",", Quoted(olm::kCleanupFinalizer)) : "", R"(]},"spec":{)",
      shape.enabled ? R"("cleanup":{"enabled":true},)" : "",
      R"("customresourcedefinitions":{"owned":[)", owned,
      R"(]},"install":{"spec":{"deployments":[)",
      shape.deployment.empty() ? "" : StrCat(R"({"name":")", shape.deployment, R"("})"), "]}}}}");
}

std::string PolicyText(std::string_view name, std::string_view operations) {
  return StrCat(
      R"({"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy",)",
      R"("metadata":{"name":")", name, R"("},"spec":{"failurePolicy":"Fail",)",
      R"("matchConstraints":{"resourceRules":[{"apiGroups":["operators.coreos.com"],)",
      R"("apiVersions":["*"],"operations":[)", operations,
      R"(],"resources":["clusterserviceversions"]},{"apiGroups":["operators.coreos.com"],)",
      R"("apiVersions":["*"],"operations":["UPDATE"],"resources":["clusterserviceversions/status"]}]},)",
      R"("validations":[{"expression":"false"}]}})");
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
std::string ProofOf(const json::value& policy, const json::value& binding) {
  return kube::UuidV5(
      MetadataText(policy, "uid"),
      StrCat(MetadataText(binding, "uid"), "/", MetadataText(binding, "resourceVersion")));
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

// Sends Deployments to one client, everything else to the other. The store works on threads of its
// own: each call is completed before anything else happens, so that the order follows from the
// test.
class TestCluster::Router : public kube::Client {
 public:
  Router(kube::Client& deployments, kube::Client& rest) : deployments_(deployments), rest_(rest) {}

  Task<kube::RawObject> Get(const kube::GroupVersionResource& gvr,
                            const kube::NamespacedName& name) override {
    co_return AtOnce(For(gvr).Get(gvr, name));
  }
  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    co_return AtOnce(For(gvr).List(gvr, options));
  }
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    return For(gvr).StartWatch(gvr, options);
  }
  Task<json::value> Create(const kube::GroupVersionResource& gvr, const std::string& ns,
                           const json::value& object, const kube::WriteOptions& options) override {
    co_return AtOnce(For(gvr).Create(gvr, ns, object, options));
  }
  Task<json::value> Update(const kube::GroupVersionResource& gvr, const json::value& object,
                           const kube::WriteOptions& options) override {
    co_return AtOnce(For(gvr).Update(gvr, object, options));
  }
  Task<json::value> Patch(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                          kube::PatchType type, const json::value& patch,
                          const kube::WriteOptions& options) override {
    co_return AtOnce(For(gvr).Patch(gvr, name, type, patch, options));
  }
  Task<json::value> Delete(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name,
                           const kube::DeleteOptions& options) override {
    co_return AtOnce(For(gvr).Delete(gvr, name, options));
  }
  Task<std::vector<kube::ApiResource>> Discover(const kube::GroupVersion& gv) override {
    co_return AtOnce(For({gv.group, gv.version, ""}).Discover(gv));
  }
  Task<std::vector<kube::GroupVersion>> DiscoverGroups() override {
    co_return AtOnce(For({}).DiscoverGroups());
  }
  std::unique_ptr<kube::Client> As(const kube::UserInfo&) override {
    return std::make_unique<kube::HookClient>(*this);
  }

 private:
  template <typename T>
  static absl::StatusOr<T> AtOnce(Task<T> call) {
    boost::asio::io_context io(1);
    return RunOn(io, std::move(call));
  }
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
  co_await Create(kCrds, "", kCsvCrd);
  const std::string admission = "admissionregistration.k8s.io";
  for (const auto& [plural, kind] :
       {std::pair{"validatingadmissionpolicies", "ValidatingAdmissionPolicy"},
        std::pair{"validatingadmissionpolicybindings", "ValidatingAdmissionPolicyBinding"},
        std::pair{"mutatingwebhookconfigurations", "MutatingWebhookConfiguration"},
        std::pair{"validatingwebhookconfigurations", "ValidatingWebhookConfiguration"}}) {
    co_await Create(kCrds, "", CrdText(admission, plural, kind, false));
  }
  co_await Create(kPolicies, "", PolicyText(olm::kUninstallPolicy, R"("DELETE")"));
  co_await Create(kPolicyBindings, "", BindingText(olm::kUninstallPolicy));
  for (const char* ns : {"ops", "a", "b", "c"}) co_await AddNamespace(ns);
  // Later deletions happen after that, even if the wall clock is set meanwhile.
  clock_.Advance(absl::Hours(1000));
  co_await Create(kPolicies, "", PolicyText(olm::kOptInPolicy, R"("CREATE","UPDATE")"));
  co_await Create(kPolicyBindings, "", BindingText(olm::kOptInPolicy));
  co_await Create(kCrds, "", CrdText("example.com", "widgets", "Widget", true, true));
  co_await Create(kCrds, "", CrdText("example.com", "gadgets", "Gadget", false));
  std::string spec = SpecFor(shape.targets);
  std::vector<std::string> status = StatusFor(shape.targets);
  co_await CreateGroup(std::move(spec), std::move(status));
  clock_.Advance(shape.installed_after);
  const std::string proof = co_await OptInProof();
  std::string csv = CsvText(shape, proof);
  co_await CreateCsv(std::move(csv));
  if (!shape.deployment.empty()) SetDeployment(shape.deployment, true);
  co_await GrantTo("widget.v1");
}

VoidTask TestCluster::AddNamespace(std::string name) {
  const bool labelled = name == "a" || name == "b";
  std::string text = StrCat(R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":")", name,
                            "\"", labelled ? R"(,"labels":{"team":"x"})" : "", "}}");
  co_await Create(kNamespaces, "", std::move(text));
}

VoidTask TestCluster::RemakeNamespace(std::string name) {
  kube::NamespacedName key{"", name};
  co_await Remove(kNamespaces, std::move(key));
  boost::asio::io_context io(1);
  Must(RunOn(io, store_->Write([&name](storage::Transaction& transaction) {
         return storage::FinalizeNamespace(transaction, name);
       })),
       name);
  co_await AddNamespace(name);
}

// Installed, as OLM says.
VoidTask TestCluster::CreateCsv(std::string csv) {
  kube::NamespacedName key{"ops", MetadataText(json::parse(csv), "name")};
  co_await Create(kCsvs, "ops", std::move(csv));
  co_await Merge(kCsvs, std::move(key),
                 R"({"status":{"phase":"Succeeded","reason":"InstallSucceeded","conditions":)"
                 R"([{"phase":"Succeeded","reason":"InstallSucceeded"}]}})",
                 "status");
}

VoidTask TestCluster::GrantTo(std::string csv) {
  const std::string operator_name = csv.substr(0, csv.find('.'));
  std::string role =
      StrCat(R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":)",
             R"({"name":")", operator_name, R"(-role","labels":{"olm.owner":")", csv,
             R"(","olm.owner.namespace":"ops","olm.owner.kind":"ClusterServiceVersion"}}})");
  co_await Create(kClusterRoles, "", std::move(role));
}

VoidTask TestCluster::AddOperator(std::string name, std::vector<std::string> owned, bool opted_in,
                                  std::string spec) {
  ClusterShape shape;
  shape.owned = std::move(owned);
  shape.deployment = StrCat(name, "-operator");
  shape.opted_in = opted_in;
  const std::string csv = StrCat(name, ".v1");
  const std::string proof = co_await OptInProof();
  std::string text = CsvText(shape, proof, csv);
  co_await CreateCsv(std::move(text));
  kube::NamespacedName key{"ops", csv};
  std::string more = StrCat(R"({"spec":)", spec, "}");
  co_await Merge(kCsvs, std::move(key), std::move(more));
  SetDeployment(shape.deployment, true);
  co_await GrantTo(csv);
}

VoidTask TestCluster::AddKinds() {
  co_await Create(kCrds, "", CrdText("example.com", "gizmos", "Gizmo", true));
  co_await Create(kCrds, "", CrdText("example.com", "cogs", "Cog", true));
}

boost::asio::awaitable<std::string> TestCluster::OptInProof() {
  const kube::NamespacedName name{"", std::string(olm::kOptInPolicy)};
  const json::value policy = co_await Find(kPolicies, name);
  const json::value binding = co_await Find(kPolicyBindings, name);
  co_return ProofOf(policy, binding);
}

std::string TestCluster::Proof() { return Run(OptInProof()); }

VoidTask TestCluster::Create(kube::GroupVersionResource gvr, std::string ns, std::string object) {
  const kube::WriteOptions options;
  const json::value value = json::parse(object);
  const absl::StatusOr<json::value> made = co_await client_->Create(gvr, ns, value, options);
  if (!kube::IsAlreadyExists(made.status()) && !kube::SaysNotFound(made.status()) &&
      !kube::IsForbidden(made.status())) {
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
  if (!kube::SaysNotFound(made.status())) Must(made.status(), patch);
}

VoidTask TestCluster::Remove(kube::GroupVersionResource gvr, kube::NamespacedName name,
                             kube::DeleteOptions options) {
  const absl::StatusOr<json::value> made = co_await client_->Delete(gvr, name, options);
  if (!kube::SaysNotFound(made.status())) Must(made.status(), name.name);
}

boost::asio::awaitable<json::value> TestCluster::Find(kube::GroupVersionResource gvr,
                                                      kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await client_->Get(gvr, name);
  if (kube::SaysNotFound(raw.status())) co_return json::value();
  Must(raw.status(), name.name);
  co_return json::parse(json::string_view(raw->json.data(), raw->json.size()));
}

boost::asio::awaitable<std::vector<json::value>> TestCluster::All(kube::GroupVersionResource gvr) {
  std::vector<json::value> all;
  const kube::ListOptions options;
  const absl::StatusOr<kube::ListPage> page = co_await client_->List(gvr, options);
  if (kube::SaysNotFound(page.status())) co_return all;
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

VoidTask TestCluster::AddOperand(kube::GroupVersionResource gvr, std::string ns, std::string name,
                                 bool with_finalizer) {
  std::string text =
      StrCat(R"({"apiVersion":"example.com/v1","kind":")", gvr == kCogs ? "Cog" : "Gizmo",
             R"(","metadata":{"name":")", name, R"(","namespace":")", ns, "\"",
             with_finalizer ? R"(,"finalizers":["example.com/work"])" : "", "}}");
  co_await Create(std::move(gvr), std::move(ns), std::move(text));
}

boost::asio::awaitable<int> TestCluster::OperatorFinishes(int most) {
  int finished = 0;
  for (const kube::GroupVersionResource& gvr : kOperandKinds) {
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
  // Members that the patch does not name are removed.
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
  const std::vector<json::value> csvs = co_await All(kCsvs);
  for (const json::value& csv : csvs) {
    if (!IsMarked(csv)) continue;
    std::vector<json::value> roles = co_await All(kClusterRoles);
    co_await OlmCleansUp(csv, std::move(roles));
  }
}

VoidTask TestCluster::OlmCleansUp(json::value csv, std::vector<json::value> roles) {
  const kube::NamespacedName key{MetadataText(csv, "namespace"), MetadataText(csv, "name")};
  bool left = false;
  for (const json::value& role : roles) {
    const json::object* labels = ObjectAt(*ObjectAt(role.as_object(), "metadata"), "labels");
    if (labels == nullptr || StringAt(*labels, "olm.owner") != key.name) continue;
    kube::NamespacedName name{"", MetadataText(role, "name")};
    co_await Remove(kClusterRoles, name);
    const json::value still = co_await Find(kClusterRoles, name);
    left = left || !still.is_null();
  }
  std::vector<std::string> finalizers = FinalizersOf(csv);
  const auto mine =
      std::find(finalizers.begin(), finalizers.end(), "operators.coreos.com/csv-cleanup");
  if (left || mine == finalizers.end()) co_return;
  finalizers.erase(mine);
  std::string patch = StrCat(R"({"metadata":{"finalizers":)", List(finalizers), "}}");
  co_await Merge(kCsvs, key, std::move(patch));
}

VoidTask TestCluster::FinishCrd(std::string name) {
  const kube::NamespacedName key{"", name};
  const json::value crd = co_await Find(kCrds, key);
  if (crd.is_null() || !IsMarked(crd)) co_return;
  const kube::GroupVersionResource gvr{"example.com", "v1", name.substr(0, name.find('.'))};
  const std::vector<json::value> all = co_await All(gvr);
  for (const json::value& object : all) {
    kube::NamespacedName one{MetadataText(object, "namespace"), MetadataText(object, "name")};
    co_await Merge(gvr, one, R"({"metadata":{"finalizers":null}})");
    co_await Remove(gvr, one);
  }
  co_await Merge(kCrds, key, R"({"metadata":{"finalizers":null}})");
}

VoidTask TestCluster::RecreateCrd(std::string name) {
  kube::NamespacedName key{"", name};
  co_await Remove(kCrds, std::move(key));
  co_await FinishCrd(name);
  const bool widgets = name == "widgets.example.com";
  std::string text = widgets ? CrdText("example.com", "widgets", "Widget", true, true)
                             : CrdText("example.com", "gadgets", "Gadget", false);
  co_await Create(kCrds, "", std::move(text));
}

VoidTask TestCluster::TerminateCsvs() {
  kube::NamespacedName definition{"", kCsvs.GroupResource()};
  co_await Remove(kCrds, std::move(definition));
  const std::vector<json::value> csvs = co_await All(kCsvs);
  for (const json::value& csv : csvs) {
    kube::NamespacedName name{MetadataText(csv, "namespace"), MetadataText(csv, "name")};
    co_await Remove(kCsvs, std::move(name));
  }
}

VoidTask TestCluster::TerminateNamespace(std::string name) {
  const kube::NamespacedName key{"", name};
  const json::value found = co_await Find(kNamespaces, key);
  // A Namespace that is being deleted takes no further finalizer.
  if (!found.is_null() && MetadataText(found, "deletionTimestamp").empty()) {
    co_await Merge(kNamespaces, key, R"({"metadata":{"finalizers":["example.com/content"]}})");
    co_await Remove(kNamespaces, key);
  }
  for (const kube::GroupVersionResource& gvr : kOperandKinds) {
    const std::vector<json::value> all = co_await All(gvr);
    for (const json::value& object : all) {
      kube::NamespacedName one{MetadataText(object, "namespace"), MetadataText(object, "name")};
      if (one.ns == name) co_await Remove(gvr, std::move(one));
    }
  }
}

void TestCluster::SetDeployment(const std::string& name, bool there) {
  deployments_.Put(kDeployments,
                   StrCat(R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":")",
                          name, R"(","namespace":"ops"}})"));
  if (!there) deployments_.Delete(kDeployments, {"ops", name});
}

bool TestCluster::HasFinalizer(const std::string& finalizer) {
  const json::value csv = Csv();
  if (csv.is_null()) return false;
  const std::vector<std::string> finalizers = FinalizersOf(csv);
  return std::find(finalizers.begin(), finalizers.end(), finalizer) != finalizers.end();
}

std::string TestCluster::Condition(const std::string& reason, const kube::NamespacedName& name) {
  const json::value csv = Run(Find(kCsvs, name));
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

std::string TestCluster::Annotation(std::string_view key, const kube::NamespacedName& csv) {
  const json::value object = Run(Find(kCsvs, csv));
  if (object.is_null()) return "";
  const json::object* annotations =
      ObjectAt(*ObjectAt(object.as_object(), "metadata"), "annotations");
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
