// The commands steward bundle, on folders of bundles and an embedded cluster.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_replace.h"
#include "base/async/task.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "bundle/requirements.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"
#include "kube/testing/hook_client.h"
#include "plugin/bundle/bundle_folder.h"
#include "plugin/bundle/findings.h"
#include "plugin/bundle/install.h"
#include "plugin/bundle/lint.h"
#include "plugin/bundle/steps.h"
#include "plugin/command/exit.h"
#include "plugin/command/session.h"
#include "plugin/terminal/terminal.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::GroupVersionResource kPlans = {"operators.coreos.com", "v1alpha1", "installplans"};
const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                          "clusterserviceversions"};

// A valid ClusterServiceVersion, with `strategy` in its install strategy.
std::string CsvWith(const std::string& strategy) {
  return StrCat(
      "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: "
      "reed.v1}, spec: {displayName: Reed, version: 1.0.0, installModes: [{type: OwnNamespace, "
      "supported: true}], install: {strategy: deployment, spec: {deployments: [{name: reed, spec: "
      "{}}], ",
      strategy, "}}}}");
}
const std::string kCsv = CsvWith(
    "permissions: [{serviceAccountName: reed, rules: [{verbs: [get], apiGroups: [''], resources: "
    "[pods]}]}], clusterPermissions: [{serviceAccountName: default, rules: []}]");
constexpr char kAnnotations[] =
    "annotations: {operators.operatorframework.io.bundle.mediatype.v1: registry+v1, "
    "operators.operatorframework.io.bundle.manifests.v1: manifests/, "
    "operators.operatorframework.io.bundle.metadata.v1: metadata/, "
    "operators.operatorframework.io.bundle.package.v1: reed, "
    "operators.operatorframework.io.bundle.channels.v1: stable}";
constexpr char kMonitor[] =
    "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: reed}}";
constexpr char kSecret[] = "{apiVersion: v1, kind: Secret, metadata: {name: key}}";

std::string Optional(const std::string& entries) {
  return StrCat("properties: [{type: olm.manifests.optional, value: {manifests: [", entries,
                "]}}]");
}
constexpr char kMonitorEntry[] =
    "{group: monitoring.coreos.com/v1, kind: ServiceMonitor, name: reed}";

using Files = std::map<std::string, std::string>;

// A folder with these files.
class Folder {
 public:
  explicit Folder(const Files& files) {
    for (const auto& [name, text] : files) {
      const std::filesystem::path path = directory_.path() + "/" + name;
      std::filesystem::create_directories(path.parent_path());
      std::ofstream(path) << text;
    }
  }
  std::string path() const { return directory_.path(); }
  BundleFolder Read() const { return *ReadBundleFolder(path()); }

 private:
  TestDirectory directory_;
};

std::vector<std::string> Lint(const Folder& folder, const Folder* previous = nullptr) {
  std::vector<std::string> lines;
  const BundleFolder bundle = folder.Read();
  std::optional<BundleFolder> before;
  if (previous != nullptr) before = previous->Read();
  for (const Finding& finding : LintBundle(bundle, before ? &*before : nullptr)) {
    const std::string where = finding.where.substr(finding.where.rfind('/') + 1);
    const bool hint = finding.severity == Finding::Severity::kHint;
    const bool refused = finding.severity == Finding::Severity::kRefused;
    lines.push_back(StrCat(where,
                           hint      ? " hint: "
                           : refused ? " refused: "
                                     : " error: ",
                           finding.what));
  }
  return lines;
}

TEST(BundleTest, LintOfOneThatIsRight) {
  EXPECT_THAT(Lint(Folder({{"manifests/csv.yaml", kCsv},
                           {"manifests/monitor.yaml", kMonitor},
                           {"metadata/annotations.yaml", kAnnotations},
                           {"metadata/any-name", Optional(kMonitorEntry)},
                           {"metadata/notes.txt", "a: [ is no YAML"}})),
              IsEmpty());
  EXPECT_THAT(Lint(Folder(Files{{"manifests/csv.yaml", kCsv}})),
              ElementsAre("metadata error: no file has annotations (annotations.yaml): catalogs "
                          "refuse the bundle"));
}

struct LintCase {
  const char* name;
  // in addition to the ClusterServiceVersion and the monitor
  std::map<std::string, std::string> files;
  std::string finding;
};

TEST(BundleTest, Lint) {
  for (const LintCase& tc : std::vector<LintCase>{
           {"malformed",
            {{"metadata/p.yaml", Optional("{kind: X}")}},
            "p.yaml:1 refused: properties[0].value.manifests[0].name"},
           {"no list",
            {{"metadata/p.yaml", "properties: {}"}},
            "p.yaml:1 refused: properties: must be a list"},
           {"two files",
            {{"metadata/a.yaml", "properties: []"}, {"metadata/b.json", R"({"properties":[]})"}},
            "b.json:1 refused: properties: only one file of metadata/ may have them"},
           {"below metadata it means nothing",
            {{"metadata/more/p.yaml", "properties: {}"}},
            "more error: is a folder: it is not read, and OLM cannot unpack the bundle"},
           {"absent",
            {{"metadata/p.yaml", Optional("{kind: ServiceMonitor, group: a.b, name: reed}")}},
            "p.yaml:1 hint: properties[0].value.manifests[0]: the optional manifest "
            "ServiceMonitor.a.b reed is not among the "
            "manifests; did you mean ServiceMonitor.monitoring.coreos.com reed in "},
           {"a kind that no plan installs",
            {{"metadata/p.yaml", Optional("{group: apps, kind: Deployment, name: a}")}},
            "p.yaml:1 hint: properties[0].value.manifests[0]: the optional manifest "
            "Deployment.apps a is of a kind that no plan "
            "installs"},
           {"one object in two namespaces",
            {{"manifests/x.yaml",
              "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: reed, "
              "namespace: other}}"}},
            "monitor.yaml:1 hint: ServiceMonitor.monitoring.coreos.com reed stands also in "},
           {"exempt",
            {{"manifests/s.yaml", kSecret},
             {"metadata/p.yaml", Optional("{kind: Secret, name: key}")}},
            "p.yaml:1 hint: properties[0].value.manifests[0]: the optional manifest Secret key is "
            "of a kind that is never optional"},
           {"twice", {{"manifests/z.yaml", kMonitor}}, "monitor.yaml:1 hint: ServiceMonitor"},
           {"another operator",
            {{"manifests/z.yaml",
              "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: "
              "{name: b}}"}},
            "z.yaml:1 refused: there is another ClusterServiceVersion"},
           {"a kind",
            {{"manifests/z.yaml", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: b}}"}},
            "z.yaml:1 refused: kind: Deployment in apps/v1 is none that a plan installs"},
           {"no apiVersion",
            {{"manifests/z.yaml", "{kind: Deployment, metadata: {name: b}}"}},
            "z.yaml:1 refused: apiVersion: is missing (the kind is Deployment)"},
           {"a list",
            {{"manifests/z.yaml", "{kind: List, apiVersion: v1, items: []}"}},
            "z.yaml:1 refused: kind: List in v1 is none that a plan installs"},
           {"rights without apiVersion",
            {{"manifests/z.yaml", "{kind: ClusterRole, metadata: {name: b}}"}},
            "z.yaml:1 hint: apiVersion: is missing; the ClusterRole is installed as one of "
            "rbac.authorization.k8s.io/v1, as by OLM"},
           {"rights of an old version",
            {{"manifests/z.yaml",
              "{apiVersion: rbac.authorization.k8s.io/v1beta1, kind: ClusterRole, metadata: {name: "
              "b}}"}},
            "z.yaml:1 hint: apiVersion: rbac.authorization.k8s.io/v1beta1; the ClusterRole is "},
           {"a kind of another group",
            {{"manifests/z.yaml", "{apiVersion: a.b/v1, kind: Secret, metadata: {name: b}}"}},
            "z.yaml:1 error: apiVersion: a.b/v1; the Secret is installed as one of v1, as by OLM"},
           {"two documents",
            {{"manifests/z.yaml", StrCat(kSecret, "\n---\n", kSecret)}},
            "z.yaml:2 hint: only what stands before it is installed"},
           {"a key twice",
            {{"manifests/z.yaml",
              "apiVersion: v1\nkind: Secret\nkind: Secret\nmetadata: {name: b}"}},
            "z.yaml:3 hint: key \"kind\" already set in map: the last one counts"},
           {"unreadable",
            {{"manifests/z.yaml", "a: [\n"}},
            " error: the file is left out, as by OLM: "},
           {"no manifest",
            {{"manifests/README.md", "# A bundle\n"}},
            "README.md:1 hint: the file is left out, as by OLM: "},
           {"unreadable metadata",
            {{"metadata/dependencies.yaml", "dependencies:\n- a: b\n  - c\n"}},
            "dependencies.yaml:3 error: the file is left out, as by OLM: "},
           {"finalizers",
            {{"manifests/z.yaml",
              "---\n{apiVersion: v1, kind: Secret, metadata: {name: b, finalizers: [a/b]}}"}},
            "z.yaml:2 hint: metadata.finalizers: is not installed"},
           {"a label",
            {{"manifests/z.yaml",
              "{apiVersion: v1, kind: Secret, metadata: {name: b, labels: {olm.copiedFrom: x}}}"}},
            "z.yaml:1 hint: metadata.labels: olm.copiedFrom is not installed"}}) {
    SCOPED_TRACE(tc.name);
    std::map<std::string, std::string> files = tc.files;
    files["manifests/csv.yaml"] = kCsv;
    files["manifests/monitor.yaml"] = kMonitor;
    files["metadata/annotations.yaml"] = kAnnotations;
    const std::vector<std::string> findings = Lint(Folder(files));
    if (tc.finding.empty()) {
      EXPECT_THAT(findings, IsEmpty());
    } else {
      EXPECT_THAT(findings, ::testing::Contains(HasSubstr(tc.finding)));
    }
  }
}

TEST(BundleTest, NoBundle) {
  const Folder folder(Files{{"metadata/p.yaml", "{}"}});
  EXPECT_EQ(ExitOf(ReadBundleFolder(folder.path()).status()), Exit::kUsage);
  EXPECT_THAT(Lint(Folder(Files{{"manifests/monitor.yaml", kMonitor}})),
              ElementsAre("manifests refused: there is no ClusterServiceVersion",
                          HasSubstr("no file has annotations")));
}

constexpr char kDefinition[] =
    "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: "
    "reeds.a.b}, spec: {group: a.b, scope: Namespaced, names: {kind: Reed, plural: reeds}, "
    "versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: "
    "object}}}]}}";

struct ObjectCase {
  const char* name;
  std::string from;  // the text in the valid ClusterServiceVersion that is replaced
  std::string to;
  std::vector<std::string> findings;
};

std::string With(const std::string& text, const std::string& from, const std::string& to) {
  return absl::StrReplaceAll(text, {{from, to}});
}

// The findings that operator-sdk, or an API server, has, too.
TEST(BundleTest, LintOfTheClusterServiceVersion) {
  const std::string right =
      With(kCsv, "displayName",
           "customresourcedefinitions: {owned: [{name: reeds.a.b, version: v1, "
           "kind: Reed}]}, displayName");
  const std::string named = With(
      right, "{name: reed.v1}",
      R"({name: reed.v1, annotations: {alm-examples: '[{"apiVersion":"a.b/v1","kind":"Reed"}]'}})");
  const std::vector<ObjectCase> cases = {
      {"right", "", "", {}},
      {"name",
       "reed.v1,",
       StrCat("r", std::string(63, 'x'), ","),
       {"metadata.name: OLM makes a label's value of it"}},
      {"version", "version: 1.0.0", "version: '1.0'", {"spec.version: \"1.0\" is no semantic"}},
      {"no version", "version: 1.0.0, ", "", {"spec.version: is missing"}},
      {"modes", "supported: true", "supported: false", {"spec.installModes: none is supported"}},
      {"mode",
       "type: OwnNamespace",
       "type: Own",
       {"spec.installModes[0].type: there is no install mode \"Own\""}},
      {"strategy",
       "strategy: deployment",
       "strategy: helm",
       {"spec.install.strategy: OLM knows \"deployment\" alone"}},
      {"deployments",
       "{name: reed, spec: {}}",
       "",
       {"spec.install.spec.deployments: there is none"}},
      {"examples", "'[{", "'[", {"metadata.annotations: alm-examples is no JSON"}},
      {"example",
       R"("kind":"Reed")",
       R"("kind":"Rush")",
       {"the ClusterServiceVersion owns no Rush in a.b/v1", "alm-examples has no Reed in a.b/v1"}},
      {"owned version",
       "version: v1, kind",
       "version: v2, kind",
       {"alm-examples: the ClusterServiceVersion owns no Reed in a.b/v1",
        "owned[0].version: reeds.a.b has no version \"v2\"", "has no Reed in a.b/v2"}},
      {"owned absent",
       "name: reeds.a.b",
       "name: rushes.a.b",
       {"owned[0]: the bundle brings no definition rushes.a.b"}},
      {"not owned",
       "{name: reeds.a.b, version: v1, kind: Reed}",
       "",
       {"owns no Reed", "the bundle brings reeds.a.b, and the ClusterServiceVersion does not own"}},
      {"rules",
       "apiGroups: [''], ",
       "",
       {"spec.install.spec.permissions[0].rules[0].apiGroups: there is none"}},
      {"urls",
       "apiGroups: [''], resources: [pods]",
       "nonResourceURLs: [/metrics]",
       {"permissions[0].rules[0].nonResourceURLs: those are of the cluster"}},
      {"annotation",
       "alm-examples:",
       "olm.skiprange: '<1.0.0', alm-examples:",
       {"olm.skiprange means nothing to OLM; it reads olm.skipRange"}},
  };
  for (const ObjectCase& each : cases) {
    SCOPED_TRACE(each.name);
    const std::string csv = each.from.empty() ? named : With(named, each.from, each.to);
    ASSERT_TRUE(each.from.empty() || csv != named);
    std::vector<::testing::Matcher<std::string>> expected;
    for (const std::string& finding : each.findings) expected.push_back(HasSubstr(finding));
    EXPECT_THAT(Lint(Folder({{"manifests/csv.yaml", csv},
                             {"manifests/reeds.yaml", kDefinition},
                             {"metadata/annotations.yaml", kAnnotations}})),
                ::testing::ElementsAreArray(expected));
  }
}

TEST(BundleTest, LintOfOtherObjects) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"{apiVersion: policy/v1beta1, kind: PodDisruptionBudget, metadata: {name: a}}",
       "z.yaml:1 error: apiVersion: policy/v1beta1 PodDisruptionBudget is gone since Kubernetes "
       "1.25"},
      {"apiVersion: v1\nkind: Service\nmetadata:\n  name: a.b\n",
       "z.yaml:4 refused: metadata.name: \"a.b\" is no label of DNS"},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: A}}", "is no name of DNS"},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {a/b/c: x}}}",
       "\"a/b/c\" is no key"},
      {"{apiVersion: v1, kind: ConfigMap, metadata: {name: a, labels: {a: 'x y'}}}",
       "the value of a is none"},
      {"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: "
       "a}\nrules:\n- verbs: [get]\n  apiGroups: ['']\n",
       "z.yaml:5 refused: rules[0].resources: there is none"},
      {"{apiVersion: v1, kind: ServiceAccount, metadata: {name: reed}}", ""},
      {With(kDefinition, "name: reeds.a.b", "name: reeds.b"),
       "metadata.name: must be reeds.a.b, not reeds.b"},
      {With(kDefinition, "storage: true", "storage: false"),
       "spec.versions: one must be that of the storage, not none"},
  };
  for (const auto& [object, finding] : cases) {
    SCOPED_TRACE(object);
    const std::vector<std::string> findings =
        Lint(Folder({{"manifests/csv.yaml", kCsv},
                     {"manifests/z.yaml", object},
                     {"metadata/annotations.yaml", kAnnotations}}));
    if (finding.empty()) {
      EXPECT_THAT(findings, IsEmpty());
    } else {
      EXPECT_THAT(findings, ::testing::Contains(HasSubstr(finding)));
    }
  }
}

TEST(BundleTest, LintOfMetadata) {
  const std::vector<std::pair<Files, std::string>> cases = {
      {{{"metadata/annotations.yaml", With(kAnnotations, "registry+v1", "helm+v3")}},
       "mediatype.v1 must be registry+v1, not helm+v3"},
      {{{"metadata/annotations.yaml", With(kAnnotations, ": stable", ": ''")}},
       "channels.v1 is missing"},
      {{{"metadata/dependencies.yaml",
         "dependencies:\n- {type: olm.gvk, value: {group: a.b, kind: C}}\n"}},
       "dependencies.yaml:2 error: dependencies[0].value.version: is missing"},
      {{{"metadata/dependencies.yaml", "dependencies:\n- type: olm.crd\n  value: {}\n"}},
       "dependencies.yaml:2 error: dependencies[0].type: OLM knows no dependency of the type "
       "\"olm.crd\""},
  };
  for (const auto& [more, finding] : cases) {
    Files files = more;
    files.emplace("metadata/annotations.yaml", kAnnotations);
    files["manifests/csv.yaml"] = kCsv;
    EXPECT_THAT(Lint(Folder(files)), ElementsAre(HasSubstr(finding)));
  }
}

TEST(BundleTest, LintOfAnUpgrade) {
  const std::string owner =
      With(kCsv, "displayName",
           "customresourcedefinitions: {owned: [{name: reeds.a.b, version: v1, kind: Reed}]}, "
           "displayName");
  const std::string next = With(With(owner, "reed.v1", "reed.v2"), "version: 1.0.0",
                                "version: 2.0.0, replaces: reed.v1");
  const auto folder = [](const std::string& csv, const std::string& definition) {
    return Files{{"manifests/csv.yaml", csv},
                 {"manifests/reeds.yaml", definition},
                 {"metadata/annotations.yaml", kAnnotations}};
  };
  const Folder before(folder(owner, kDefinition));
  const std::string examples = "csv.yaml:1 hint: metadata.annotations: there are no alm-examples";
  EXPECT_THAT(Lint(Folder(folder(next, kDefinition)), &before), ElementsAre(examples));
  EXPECT_THAT(
      Lint(Folder(folder(next, With(kDefinition, "Namespaced", "Cluster"))), &before),
      ElementsAre(HasSubstr("spec.scope: it is Namespaced, and cannot become Cluster"), examples));
  EXPECT_THAT(Lint(Folder(folder(With(next, "2.0.0", "0.9.0"), kDefinition)), &before),
              ElementsAre(HasSubstr("spec.version: 0.9.0 does not come after 1.0.0"), examples));
  EXPECT_THAT(Lint(Folder(folder(With(next, ", replaces: reed.v1", ""), kDefinition)), &before),
              ElementsAre(examples, HasSubstr("spec.replaces: neither it nor spec.skips names")));
}

TEST(BundleTest, Steps) {
  const Folder folder({{"manifests/a.yaml", kMonitor},
                       {"manifests/b.yaml", kSecret},
                       {"manifests/c.yaml", kCsv},
                       {"metadata/p.yaml", Optional(kMonitorEntry)}});
  ASSERT_OK_AND_ASSIGN(const std::vector<olm::PlanStep> steps, StepsOfFolder(folder.Read(), "ops"));
  std::vector<std::string> all;
  for (const olm::PlanStep& step : steps) {
    EXPECT_EQ(step.resolving, "reed.v1");
    all.push_back(StrCat(step.gvk.kind, step.optional ? " optional" : ""));
  }
  EXPECT_THAT(all, ElementsAre("ClusterServiceVersion", "ServiceMonitor optional", "BundleSecret",
                               "ServiceAccount", "Role", "RoleBinding", "ClusterRole",
                               "ClusterRoleBinding"));
  EXPECT_THAT(steps[7].manifest, HasSubstr(R"("name":"default","namespace":"ops")"));
}

class InstallTest : public ::testing::Test {
 protected:
  InstallTest() : terminal_({.write = [this](std::string_view bytes) { screen_ += bytes; }}) {
    EXPECT_OK(store_
                  .Create({"", "v1", "namespaces"}, "",
                          R"({"apiVersion":"v1","kind":"Namespace","metadata":{"name":"ops"}})")
                  .status());
  }

  absl::Status Install(const Folder& folder, bool approve = false, bool ignore = false) {
    Session session{store_.client(), Clock::Real(), terminal_, document_, true, "ops"};
    return store_.Run(
        InstallBundle(session, folder.Read(), {.approve = approve, .ignore_requirements = ignore}));
  }
  std::vector<std::string> Unmet(const Folder& folder, kube::Client& client) {
    const BundleFolder read = folder.Read();
    const std::vector<json::object> manifests = read.Objects();
    const bundle::Candidate candidate = {"ops", manifests, read.AllProperties()};
    const auto unmet = store_.Run(bundle::UnmetRequirements(client, Clock::Real(), candidate));
    EXPECT_OK(unmet.status());
    return unmet.ok() ? *unmet : std::vector<std::string>();
  }
  std::vector<json::value> All(const kube::GroupVersionResource& gvr) {
    const kube::ListOptions options;
    std::vector<json::value> all;
    const auto page = store_.Run(store_.client().List(gvr, options));
    for (const kube::RawObject& raw : page->items) all.push_back(json::parse(raw.json));
    return all;
  }
  void Merge(const kube::GroupVersionResource& gvr, const std::string& name,
             const std::string& patch, const std::string& subresource = "") {
    kube::WriteOptions options;
    options.subresource = subresource;
    const json::value value = json::parse(patch);
    const kube::NamespacedName key = {"ops", name};
    EXPECT_OK(
        store_.Run(store_.client().Patch(gvr, key, kube::PatchType::kJsonMerge, value, options))
            .status());
  }

  storage::TestStore store_;
  std::string screen_;
  Terminal terminal_;
  json::object document_;
  const Folder bundle_{{{"manifests/csv.yaml", kCsv},
                        {"manifests/monitor.yaml", kMonitor},
                        {"metadata/p.yaml", Optional(kMonitorEntry)}}};
};

TEST_F(InstallTest, MakesAPlanThatWaitsForApproval) {
  ASSERT_OK(Install(bundle_));
  EXPECT_THAT(screen_, AllOf(HasSubstr("7 steps for reed.v1"), HasSubstr("--approve"),
                             HasSubstr("kubectl get installplan -n ops install-")));
  const std::vector<json::value> plans = All(kPlans);
  ASSERT_EQ(plans.size(), 1);
  EXPECT_EQ(plans[0].at("status").at("phase"), "RequiresApproval");
  EXPECT_EQ(plans[0].at("spec").at("approved"), false);
  const json::array& steps = plans[0].at("status").at("plan").as_array();
  EXPECT_EQ(steps.size(), 7);
  EXPECT_EQ(steps[1].at("optional"), true);
  const std::vector<json::value> configs = All(kube::kConfigMaps);
  ASSERT_EQ(configs.size(), 1);
  EXPECT_EQ(configs[0].at("metadata").at("ownerReferences").at(0).at("uid"),
            plans[0].at("metadata").at("uid"));
  EXPECT_EQ(configs[0].at("binaryData").as_object().size(), 2);

  // Again, with approval: the same plan.
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  ASSERT_EQ(All(kPlans).size(), 1);
  EXPECT_EQ(All(kPlans)[0].at("spec").at("approved"), true);
}

TEST_F(InstallTest, FinishesWhatWasBegun) {
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  const std::string plan(All(kPlans)[0].at("metadata").at("name").as_string());
  const std::string config(All(kube::kConfigMaps)[0].at("metadata").at("name").as_string());
  const kube::DeleteOptions options;
  ASSERT_OK(
      store_.Run(store_.client().Delete(kube::kConfigMaps, {"ops", config}, options)).status());
  Merge(kPlans, plan, R"({"status":null})", "status");
  ASSERT_OK(Install(bundle_));
  EXPECT_EQ(All(kPlans)[0].at("status").at("phase"), "Installing");
  EXPECT_EQ(All(kube::kConfigMaps).size(), 1);

  // A complete plan is left as it is.
  ASSERT_OK(store_.Create(kCsvs, "ops", Serialize(*ParseYaml(kCsv))).status());
  Merge(kPlans, plan, R"({"status":{"phase":"Complete"}})", "status");
  const json::value before = All(kPlans)[0];
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  EXPECT_EQ(All(kPlans)[0], before);
  EXPECT_THAT(screen_, HasSubstr("is there, and Complete"));

  // The message says how a failed plan is tried again.
  Merge(kPlans, plan, R"({"status":{"phase":"Failed","message":"step 2: no"}})", "status");
  const absl::Status failed = Install(bundle_, /*approve=*/true);
  EXPECT_EQ(ExitOf(failed), Exit::kStalled);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("has failed: step 2: no"));
  EXPECT_THAT(std::string(failed.message()), HasSubstr(R"(-p '{"spec":{"approved":false}}')"));
}

// Case 72-install-after-uninstall.
TEST_F(InstallTest, WhatIsGoneIsInstalledAnew) {
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  const std::string first(All(kPlans)[0].at("metadata").at("name").as_string());
  Merge(kPlans, first, R"({"status":{"phase":"Complete"}})", "status");
  // The ClusterServiceVersion is not there.
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  ASSERT_EQ(All(kPlans).size(), 2);
  const std::string second(document_.at("installPlan").as_string());
  EXPECT_NE(second, first);
  ASSERT_EQ(All(kube::kConfigMaps).size(), 1) << "both plans read one ConfigMap";
  EXPECT_EQ(All(kube::kConfigMaps)[0].at("metadata").at("ownerReferences").as_array().size(), 2);
  // The second plan is not complete yet, so another run makes no third.
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  EXPECT_EQ(All(kPlans).size(), 2);
  Merge(kPlans, second, R"({"status":{"phase":"Complete"}})", "status");
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  EXPECT_EQ(All(kPlans).size(), 3);
}

// Case 75-bundle-rules-no-list: lint, steps and installation refuse with one sentence.
TEST_F(InstallTest, PermissionsAreNotLeftOut) {
  const std::string csv = CsvWith("clusterPermissions: [{serviceAccountName: a, rules: all}]");
  const Folder folder({{"manifests/csv.yaml", csv}, {"metadata/annotations.yaml", kAnnotations}});
  EXPECT_THAT(Lint(folder), ElementsAre("csv.yaml:1 refused: spec.install.spec.clusterPermissions"
                                        "[0].rules: must be a list"));
  const absl::Status refused = Install(folder);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("[0].rules: must be a list"));
  EXPECT_EQ(StepsOfFolder(folder.Read(), "ops").status().message(), refused.message());
}

// A cluster of this version.
class Versioned : public kube::HookClient {
 public:
  Versioned(kube::Client& inner, std::string version)
      : HookClient(inner), version_(std::move(version)) {}
  Task<std::string> ServerVersion() override { co_return version_; }

 private:
  const std::string version_;
};

constexpr char kNeeds[] = R"(
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata: {name: dock.v1.0.0}
spec:
  displayName: Dock
  version: 1.0.0
  minKubeVersion: 1.30.0
  installModes: [{type: OwnNamespace, supported: true}]
  customresourcedefinitions:
    required: [{name: ropes.rope.io, version: v1, kind: Rope}]
  apiservicedefinitions:
    required: [{group: served.io, version: v1, kind: Knot}]
  nativeAPIs: [{group: "", version: v1, kind: Secret}]
  install: {strategy: deployment, spec: {deployments: [{name: dock, spec: {}}]}}
)";
constexpr char kDependencies[] = R"(
dependencies:
- {type: olm.package, value: {packageName: rope, version: '>=1.0.0'}}
- {type: olm.gvk, value: {group: rope.io, kind: Rope, version: v1}}
- type: olm.constraint
  value:
    failureMessage: wants a rope
    any: {constraints: [{package: {packageName: rope, versionRange: 0.x}},
                        {gvk: {group: rope.io, kind: Rope, version: v1}}]}
- {type: olm.constraint, value: {failureMessage: a rule, cel: {rule: "true"}}}
)";

// Case 71-requirements-missing.
TEST_F(InstallTest, WhatIsNeededAndNotThere) {
  const Folder folder({{"manifests/csv.yaml", kNeeds},
                       {"metadata/annotations.yaml", kAnnotations},
                       {"metadata/dependencies.yaml", kDependencies}});
  ASSERT_OK(store_
                .Create({"operators.coreos.com", "v1", "operatorgroups"}, "ops",
                        R"({"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup",
                            "metadata":{"name":"g","namespace":"ops"},"spec":{}})")
                .status());
  Versioned old(store_.client(), "v1.29.3+k3s1");
  EXPECT_THAT(
      Unmet(folder, old),
      ElementsAre(
          "spec.minKubeVersion: needs Kubernetes 1.30.0 or newer, and this is v1.29.3+k3s1",
          "spec.customresourcedefinitions.required[0]: needs Rope in rope.io/v1, which this "
          "cluster does not serve",
          "spec.apiservicedefinitions.required[0]: needs Knot in served.io/v1, which this "
          "cluster does not serve",
          HasSubstr("spec.installModes: AllNamespaces"),
          "olm.package: needs the package rope in a version >=1.0.0: no operator in the "
          "namespace is known to be of it",
          "olm.gvk: needs Rope in rope.io/v1, which this cluster does not serve",
          HasSubstr("olm.constraint: wants a rope ("),
          "olm.constraint: a rule (the constraint cannot be judged here)"));
  const absl::Status refused = Install(folder);
  EXPECT_EQ(ExitOf(refused), Exit::kRefused);
  EXPECT_THAT(screen_, HasSubstr("not there: olm.gvk: needs Rope"));
  EXPECT_THAT(All(kPlans), IsEmpty());
  EXPECT_OK(Install(folder, /*approve=*/false, /*ignore=*/true));
  EXPECT_EQ(All(kPlans).size(), 1);
}

TEST_F(InstallTest, WhatIsNeededAndThere) {
  const Folder folder({{"manifests/csv.yaml", kNeeds},
                       {"metadata/annotations.yaml", kAnnotations},
                       {"metadata/dependencies.yaml", kDependencies}});
  const auto define = [this](const std::string& group, const std::string& kind,
                             const std::string& plural) {
    ASSERT_OK(
        store_
            .Create({"apiextensions.k8s.io", "v1", "customresourcedefinitions"}, "",
                    StrCat(R"({"apiVersion":"apiextensions.k8s.io/v1","kind":)",
                           R"("CustomResourceDefinition","metadata":{"name":")", plural, ".", group,
                           R"("},"spec":{"group":")", group,
                           R"(","scope":"Namespaced","names":{"kind":")", kind, R"(","plural":")",
                           plural, R"("},"versions":[{"name":"v1","served":true,"storage":true,)",
                           R"("schema":{"openAPIV3Schema":{"type":"object"}}}]}})"))
            .status());
  };
  define("rope.io", "Rope", "ropes");
  define("served.io", "Knot", "knots");
  ASSERT_OK(store_
                .Create(kCsvs, "ops",
                        R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":
                            "ClusterServiceVersion","metadata":{"name":"rope.v1.2.0","namespace":
                            "ops"},"spec":{"version":"1.2.0"}})")
                .status());
  Versioned now(store_.client(), "v1.30.0-rc.1");
  EXPECT_THAT(Unmet(folder, now),
              ElementsAre("olm.constraint: a rule (the constraint cannot be judged here)"));
}

TEST_F(InstallTest, RefusesWhatIsNotItsOwn) {
  ASSERT_OK(Install(bundle_));
  const std::string plan(All(kPlans)[0].at("metadata").at("name").as_string());
  const std::string config(All(kube::kConfigMaps)[0].at("metadata").at("name").as_string());
  Merge(kube::kConfigMaps, config, R"({"binaryData":{"0000.json":"eA=="}})");
  absl::Status refused = Install(bundle_);
  EXPECT_EQ(ExitOf(refused), Exit::kRefused);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("does not hold this bundle"));
  Merge(kPlans, plan,
        R"({"metadata":{"annotations":{"steward.operatorframework.io/bundle-digest":"x"}}})");
  refused = Install(bundle_);
  EXPECT_EQ(ExitOf(refused), Exit::kRefused);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("is not of this bundle"));
}

TEST_F(InstallTest, NothingOfABundleThatIsWrong) {
  const Folder wrong(Files{{"manifests/monitor.yaml", kMonitor}});
  const absl::Status refused = Install(wrong, /*approve=*/true);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("there is no ClusterServiceVersion"));
  EXPECT_THAT(All(kPlans), IsEmpty());
}

}  // namespace
}  // namespace steward::plugin
