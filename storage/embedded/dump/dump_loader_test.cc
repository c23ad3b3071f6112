#include "storage/embedded/dump/dump_loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "storage/embedded/dump/dump_objects.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

using Sort = DumpProblem::Sort;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;
using testing::UnorderedElementsAre;

const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

constexpr char kWidgetDefinition[] =
    "apiVersion: apiextensions.k8s.io/v1\n"
    "kind: CustomResourceDefinition\n"
    "metadata:\n"
    "  name: widgets.example.com\n"
    "spec:\n"
    "  group: example.com\n"
    "  names:\n"
    "    kind: Widget\n"
    "    plural: widgets\n"
    "  scope: Namespaced\n"
    "  versions:\n"
    "  - name: v1\n"
    "    served: true\n"
    "    storage: true\n";

std::string Object(const std::string& version, const std::string& kind, const std::string& ns,
                   const std::string& name, const std::string& revision = "1",
                   const std::string& more = "") {
  return StrCat("---\napiVersion: ", version, "\nkind: ", kind, "\nmetadata:\n  name: ", name, "\n",
                ns.empty() ? "" : StrCat("  namespace: ", ns, "\n"), "  resourceVersion: \"",
                revision, "\"\n", more);
}

class DumpLoaderTest : public testing::Test {
 protected:
  void Put(const std::string& path, const std::string& text) {
    const std::filesystem::path file = StrCat(directory_.path(), "/", path);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }

  DumpSummary Load() {
    auto files = DumpFiles::Open(directory_.path());
    EXPECT_OK(files);
    auto summary = store_.Run(LoadDump(store_.store(), *std::move(files)));
    EXPECT_OK(summary);
    return summary.value_or(DumpSummary());
  }

  std::string Get(const kube::GroupVersionResource& gvr, const std::string& ns,
                  const std::string& name) {
    const kube::NamespacedName which{ns, name};
    const auto object = store_.Run(store_.client().Get(gvr, which));
    return object.ok() ? std::string(object->json) : std::string(object.status().message());
  }

  std::vector<std::string> ProblemsOf(const DumpSummary& summary, Sort sort) {
    std::vector<std::string> problems;
    const auto found = summary.problems.find(sort);
    if (found == summary.problems.end()) return problems;
    for (const DumpProblem& problem : found->second.kept) {
      std::string where = problem.where;
      if (where.starts_with(directory_.path())) where.erase(0, directory_.path().size() + 1);
      problems.push_back(StrCat(where, " ", problem.what));
    }
    return problems;
  }

  TestDirectory directory_;
  TestStore store_;
};

TEST_F(DumpLoaderTest, ObjectsAreKeptAsTheyWere) {
  Put("namespaces/a/a.yaml", Object("v1", "Namespace", "", "a"));
  Put("namespaces/a/core/configmaps.yaml",
      "apiVersion: v1\nitems:\n- apiVersion: v1\n  kind: ConfigMap\n  metadata:\n"
      "    name: m\n    namespace: a\n    uid: u-1\n    resourceVersion: \"77\"\n"
      "    creationTimestamp: \"2026-01-01T00:00:00Z\"\n"
      "    deletionTimestamp: \"2026-01-02T00:00:00Z\"\n    finalizers:\n    - x/y\n"
      "    ownerReferences:\n    - uid: gone\nkind: ConfigMapList\n");
  const DumpSummary summary = Load();
  EXPECT_THAT(Get(kube::kConfigMaps, "a", "m"),
              AllOf(HasSubstr(R"("uid":"u-1")"), HasSubstr(R"("finalizers":["x/y"])"),
                    HasSubstr(R"("deletionTimestamp":"2026-01-02T00:00:00Z")"),
                    HasSubstr(R"("ownerReferences":[{"uid":"gone"}])")));
  EXPECT_THAT(summary.objects, UnorderedElementsAre(Pair("namespaces", 1), Pair("configmaps", 1)));
  EXPECT_THAT(summary.problems, IsEmpty());
  EXPECT_EQ(summary.files, 2u);
}

TEST_F(DumpLoaderTest, TheNewestOfEqualNamesCounts) {
  Put("namespaces/a/a.yaml", Object("v1", "Namespace", "", "a"));
  Put("cluster-scoped-resources/core/namespaces/a.yaml", Object("v1", "Namespace", "", "a"));
  Put("namespaces/a/core/configmaps/1.yaml",
      Object("v1", "ConfigMap", "a", "m", "9", "data: {a: old}\n"));
  Put("namespaces/a/core/configmaps/2.yaml",
      Object("v1", "ConfigMap", "a", "m", "10", "data: {a: new}\n"));
  Put("namespaces/a/core/configmaps/3.yaml",
      Object("v1", "ConfigMap", "a", "m", "8", "data: {a: older}\n"));
  Put("namespaces/a/core/configmaps/4.yaml",
      Object("v1", "ConfigMap", "a", "m", "x", "data: {a: x}\n"));
  const DumpSummary summary = Load();
  EXPECT_THAT(Get(kube::kConfigMaps, "a", "m"), HasSubstr(R"("a":"new")"));
  EXPECT_THAT(ProblemsOf(summary, Sort::kDuplicate),
              ElementsAre(HasSubstr("2.yaml:1 ConfigMap a/m is newer"), HasSubstr("3.yaml:1"),
                          HasSubstr("4.yaml:1 ConfigMap a/m was there before")));
  EXPECT_EQ(summary.objects.at("configmaps"), 1u);
}

TEST_F(DumpLoaderTest, KindsAreDefinedOrDescribedByThePath) {
  Put("cluster-scoped-resources/apiextensions.k8s.io/customresourcedefinitions/w.yaml",
      kWidgetDefinition);
  Put("cluster-scoped-resources/config.openshift.io/clusterversions.yaml",
      Object("config.openshift.io/v1", "ClusterVersion", "", "version"));
  Put("a-widget.yaml", Object("example.com/v1", "Widget", "a", "w"));
  Put("gadget.yaml", Object("example.com/v1", "Gadget", "a", "g"));
  Put("namespaces/a/apps/deployments/web.yaml", Object("apps/v1", "Deployment", "", "web"));
  Put("view.yaml", Object("views.operators.coreos.com/v1alpha1", "InstalledOperator", "a", "i"));
  const DumpSummary summary = Load();
  EXPECT_THAT(Get(kWidgets, "a", "w"), HasSubstr(R"("kind":"Widget")"));
  EXPECT_THAT(Get({"apps", "v1", "deployments"}, "a", "web"), HasSubstr(R"("namespace":"a")"));
  EXPECT_THAT(Get({"config.openshift.io", "v1", "clusterversions"}, "", "version"),
              HasSubstr(R"("kind":"ClusterVersion")"));
  EXPECT_THAT(ProblemsOf(summary, Sort::kUnknown),
              ElementsAre("gadget.yaml:1 Gadget of example.com/v1, 1 object"));
  EXPECT_EQ(summary.computed, 1u);
  EXPECT_EQ(summary.objects.at("widgets.example.com"), 1u);
}

TEST_F(DumpLoaderTest, ADefinitionThatIsNoneIsToldAndHidesNothing) {
  std::string broken = kWidgetDefinition;
  broken.replace(broken.find("Namespaced"), 10, "Nowhere");
  Put("crd.yaml", broken);
  Put("map.yaml", Object("v1", "ConfigMap", "a", "m"));
  const DumpSummary summary = Load();
  EXPECT_THAT(ProblemsOf(summary, Sort::kUnreadable),
              ElementsAre(HasSubstr("crd.yaml:1 widgets.example.com: ")));
  EXPECT_THAT(Get(kube::kConfigMaps, "a", "m"), HasSubstr(R"("name":"m")"));
}

TEST_F(DumpLoaderTest, NamespacesThatAreNotThereAreAssumed) {
  Put("map.yaml", Object("v1", "ConfigMap", "a", "m") + Object("v1", "ConfigMap", "", "other"));
  const DumpSummary summary = Load();
  EXPECT_THAT(Get(kube::kNamespaces, "", "a"),
              AllOf(HasSubstr(R"("steward.operatorframework.io/assumed":"true")"),
                    HasSubstr(R"("uid":")")));
  EXPECT_THAT(Get(kube::kConfigMaps, "default", "other"), HasSubstr(R"("name":"other")"));
  EXPECT_THAT(ProblemsOf(summary, Sort::kAssumed),
              ElementsAre("map.yaml:1 a", "map.yaml:8 default"));
}

TEST_F(DumpLoaderTest, CopiesOfCsvsAreNoOriginals) {
  const std::string csv = "operators.coreos.com/v1alpha1";
  const std::string copied = "  labels:\n    olm.copiedFrom: home\nstatus:\n  reason: Copied\n";
  Put("1.yaml", Object(csv, "ClusterServiceVersion", "home", "x.v1"));
  Put("2.yaml", Object(csv, "ClusterServiceVersion", "a", "x.v1", "2", copied) +
                    Object(csv, "ClusterServiceVersion", "a", "y.v1", "3", copied) +
                    Object(csv, "ClusterServiceVersion", "b", "y.v1", "4", copied));
  const DumpSummary summary = Load();
  EXPECT_EQ(summary.copies, 3u);
  EXPECT_EQ(summary.objects.at("clusterserviceversions.operators.coreos.com"), 4u);
  EXPECT_THAT(ProblemsOf(summary, Sort::kMissing),
              ElementsAre(HasSubstr("ClusterServiceVersion home/y.v1, of which 2 copies are here"),
                          HasSubstr("OperatorGroups")));
}

// More than one batch of files, and a list of more than one part.
TEST_F(DumpLoaderTest, ManyFilesAreToldInTheirOrder) {
  const std::string filler = StrCat("data:\n  a: ", std::string(4000, 'x'), "\n");
  std::string list = "apiVersion: v1\nitems:\n";
  for (int i = 0; i < 1000; ++i) {
    StrAppend(&list, "- apiVersion: v1\n  data:\n    a: ", std::string(3000, 'y'),
              "\n  kind: ConfigMap\n  metadata:\n    name: l", i, "\n    namespace: a\n");
    Put(StrCat("namespaces/a/core/configmaps/m", i, ".yaml"),
        Object("v1", "ConfigMap", "a", StrCat("m", i), "1", filler));
  }
  Put("namespaces/a/core/configmaps.yaml", list + "kind: ConfigMapList\n");
  Put("namespaces/b/core/configmaps.yaml",
      Object("v1", "ConfigMap", "a", "l0") + Object("v1", "ConfigMap", "a", "m0", "0"));
  const DumpSummary summary = Load();
  EXPECT_EQ(summary.objects.at("configmaps"), 2000u);
  EXPECT_EQ(summary.files, 1002u);
  EXPECT_THAT(
      ProblemsOf(summary, Sort::kDuplicate),
      ElementsAre(HasSubstr("namespaces/b/core/configmaps.yaml:1 "),
                  HasSubstr("namespaces/b/core/configmaps.yaml:8 ConfigMap a/m0 was there")));
  EXPECT_THAT(Get(kube::kConfigMaps, "a", "l0"), HasSubstr("yyy"));
}

// While one of the large files is read, the others wait.
TEST_F(DumpLoaderTest, LargeFilesAreReadInTurns) {
  for (int f = 0; f < 4; ++f) {
    std::string list = R"({"apiVersion":"v1","kind":"List","items":[)";
    for (int i = 0; i < 3; ++i) {
      StrAppend(&list, i == 0 ? "" : ",", R"({"apiVersion":"v1","kind":"ConfigMap","metadata":)",
                R"({"name":"m)", f, "-", i, R"(","namespace":"a"},"data":{"x":")",
                std::string(1 << 20, 'x'), R"("}})");
    }
    Put(StrCat(f, ".json"), list + "]}");
    Put(StrCat(f, ".yaml"), Object("v1", "ConfigMap", "a", StrCat("s", f)));
  }
  const DumpSummary summary = Load();
  EXPECT_EQ(summary.objects.at("configmaps"), 16u);
  EXPECT_EQ(summary.files, 8u);
}

TEST_F(DumpLoaderTest, PartsThatAreNoObjectsCountAsObjects) {
  std::string list = R"({"apiVersion":"v1","kind":"List","items":[{"kind":"List","items":[1)";
  for (size_t i = 0; i < kMaxDumpObjects; ++i) list += ",1";
  Put("a.json", list + "]}]}");
  auto files = DumpFiles::Open(directory_.path());
  ASSERT_OK(files);
  const auto summary = store_.Run(LoadDump(store_.store(), *std::move(files)));
  EXPECT_TRUE(absl::IsResourceExhausted(summary.status())) << summary.status();
  EXPECT_THAT(std::string(summary.status().message()), HasSubstr("or parts that are none"));
}

}  // namespace
}  // namespace steward::storage
