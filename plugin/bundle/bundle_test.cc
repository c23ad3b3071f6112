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
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "plugin/bundle/bundle_folder.h"
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
const kube::GroupVersionResource kConfigs = {"", "v1", "configmaps"};

constexpr char kCsv[] =
    "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: {name: "
    "reed.v1}, spec: {install: {spec: {permissions: [{serviceAccountName: reed, rules: [{verbs: "
    "[get]}]}], clusterPermissions: [{serviceAccountName: default, rules: []}]}}}}";
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

std::vector<std::string> Lint(const Folder& folder) {
  std::vector<std::string> lines;
  for (const Finding& finding : LintBundle(folder.Read())) {
    const std::string where = finding.where.substr(finding.where.rfind('/') + 1);
    lines.push_back(StrCat(where, finding.hint ? " hint: " : " error: ", finding.what));
  }
  return lines;
}

TEST(BundleTest, LintOfOneThatIsRight) {
  EXPECT_THAT(Lint(Folder({{"manifests/csv.yaml", kCsv},
                           {"manifests/monitor.yaml", kMonitor},
                           {"metadata/any-name", Optional(kMonitorEntry)},
                           {"metadata/notes.txt", "a: [ is no YAML"}})),
              IsEmpty());
  EXPECT_THAT(Lint(Folder(Files{{"manifests/csv.yaml", kCsv}})), IsEmpty());
}

struct LintCase {
  const char* name;
  std::map<std::string, std::string> files;  // beside the ClusterServiceVersion and the monitor
  std::string finding;
};

TEST(BundleTest, Lint) {
  for (const LintCase& tc : std::vector<LintCase>{
           {"malformed",
            {{"metadata/p.yaml", Optional("{kind: X}")}},
            "p.yaml:1 error: properties[0].value.manifests[0].name"},
           {"no list",
            {{"metadata/p.yaml", "properties: {}"}},
            "p.yaml:1 error: properties: must be a list"},
           {"two files",
            {{"metadata/a.yaml", "properties: []"}, {"metadata/b.json", R"({"properties":[]})"}},
            "b.json:1 error: only one file of metadata/ may have properties"},
           {"below metadata it means nothing", {{"metadata/more/p.yaml", "properties: {}"}}, ""},
           {"absent",
            {{"metadata/p.yaml", Optional("{kind: ServiceMonitor, group: a.b, name: reed}")}},
            "p.yaml:1 hint: the optional manifest ServiceMonitor.a.b reed is not among the "
            "manifests; did you mean ServiceMonitor.monitoring.coreos.com reed in "},
           {"a kind that no plan installs",
            {{"metadata/p.yaml", Optional("{group: apps, kind: Deployment, name: a}")}},
            "p.yaml:1 hint: the optional manifest Deployment.apps a is of a kind that no plan "
            "installs"},
           {"one object in two namespaces",
            {{"manifests/x.yaml",
              "{apiVersion: monitoring.coreos.com/v1, kind: ServiceMonitor, metadata: {name: reed, "
              "namespace: other}}"}},
            "x.yaml:1 error: ServiceMonitor.monitoring.coreos.com other/reed stands also in "},
           {"exempt",
            {{"manifests/s.yaml", kSecret},
             {"metadata/p.yaml", Optional("{kind: Secret, name: key}")}},
            "p.yaml:1 hint: the optional manifest Secret key is of a kind that is never optional"},
           {"twice", {{"manifests/z.yaml", kMonitor}}, "z.yaml:1 error: ServiceMonitor"},
           {"another operator",
            {{"manifests/z.yaml",
              "{apiVersion: operators.coreos.com/v1alpha1, kind: ClusterServiceVersion, metadata: "
              "{name: b}}"}},
            "z.yaml:1 error: there is another ClusterServiceVersion"},
           {"a kind",
            {{"manifests/z.yaml", "{apiVersion: apps/v1, kind: Deployment, metadata: {name: b}}"}},
            "z.yaml:1 error: Deployment in apps/v1 is no kind that a plan installs"},
           {"unreadable", {{"manifests/z.yaml", "a: [\n"}}, "z.yaml:"},
           {"finalizers",
            {{"manifests/z.yaml",
              "---\n{apiVersion: v1, kind: Secret, metadata: {name: b, finalizers: [a/b]}}"}},
            "z.yaml:1 hint: metadata.finalizers is not installed"},
           {"a label",
            {{"manifests/z.yaml",
              "{apiVersion: v1, kind: Secret, metadata: {name: b, labels: {olm.copiedFrom: x}}}"}},
            "z.yaml:1 hint: metadata.labels.olm.copiedFrom is not installed"}}) {
    SCOPED_TRACE(tc.name);
    std::map<std::string, std::string> files = tc.files;
    files["manifests/csv.yaml"] = kCsv;
    files["manifests/monitor.yaml"] = kMonitor;
    const std::vector<std::string> findings = Lint(Folder(files));
    if (tc.finding.empty()) {
      EXPECT_THAT(findings, IsEmpty());
    } else {
      EXPECT_THAT(findings, ElementsAre(HasSubstr(tc.finding)));
    }
  }
}

TEST(BundleTest, NoBundle) {
  const Folder folder(Files{{"metadata/p.yaml", "{}"}});
  EXPECT_EQ(ExitOf(ReadBundleFolder(folder.path()).status()), Exit::kUsage);
  EXPECT_THAT(Lint(Folder(Files{{"manifests/monitor.yaml", kMonitor}})),
              ElementsAre("manifests error: there is no ClusterServiceVersion"));
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

  absl::Status Install(const Folder& folder, bool approve = false) {
    Session session{store_.client(), Clock::Real(), terminal_, document_, true, "ops"};
    return store_.Run(InstallBundle(session, folder.Read(), approve));
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
  const std::vector<json::value> configs = All(kConfigs);
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
  const std::string config(All(kConfigs)[0].at("metadata").at("name").as_string());
  const kube::DeleteOptions options;
  ASSERT_OK(store_.Run(store_.client().Delete(kConfigs, {"ops", config}, options)).status());
  Merge(kPlans, plan, R"({"status":null})", "status");
  ASSERT_OK(Install(bundle_));
  EXPECT_EQ(All(kPlans)[0].at("status").at("phase"), "Installing");
  EXPECT_EQ(All(kConfigs).size(), 1);

  // What is complete is left as it is.
  Merge(kPlans, plan, R"({"status":{"phase":"Complete"}})", "status");
  const json::value before = All(kPlans)[0];
  ASSERT_OK(Install(bundle_, /*approve=*/true));
  EXPECT_EQ(All(kPlans)[0], before);
  EXPECT_THAT(screen_, HasSubstr("is there, and Complete"));

  // Of what has failed it is said how it is tried again.
  Merge(kPlans, plan, R"({"status":{"phase":"Failed","message":"step 2: no"}})", "status");
  const absl::Status failed = Install(bundle_, /*approve=*/true);
  EXPECT_EQ(ExitOf(failed), Exit::kStalled);
  EXPECT_THAT(std::string(failed.message()), HasSubstr("has failed: step 2: no"));
  EXPECT_THAT(std::string(failed.message()), HasSubstr(R"(-p '{"spec":{"approved":false}}')"));
}

TEST_F(InstallTest, RefusesWhatIsNotItsOwn) {
  ASSERT_OK(Install(bundle_));
  const std::string plan(All(kPlans)[0].at("metadata").at("name").as_string());
  const std::string config(All(kConfigs)[0].at("metadata").at("name").as_string());
  Merge(kConfigs, config, R"({"binaryData":{"0000.json":"eA=="}})");
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
