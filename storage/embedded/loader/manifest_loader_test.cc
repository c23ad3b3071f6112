#include "storage/embedded/loader/manifest_loader.h"

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "base/testing/test_directory.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

namespace json = boost::json;
using kube::FakeClient;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                          "clusterserviceversions"};
const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

constexpr char kDefinition[] = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}},
     schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}
)";
constexpr char kOperator[] = R"(
apiVersion: v1
kind: Namespace
metadata: {name: ops, labels: {team: x}}
---
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: a.v1
  namespace: ops
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: m, uid: gone}]
spec: {version: 1.0.0, weight: 1.5}
status: {phase: Succeeded}
)";
constexpr char kWidget[] = R"(
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: team-a}
spec: {size: 1}
status: {ready: true}
)";

class ManifestFolder {
 public:
  void Write(const std::string& name, std::string_view text) const {
    std::ofstream(directory_.path() + "/" + name) << text;
  }
  LoadOptions Options(bool strict = false) const {
    LoadOptions options;
    options.paths = {directory_.path()};
    options.strict = strict;
    return options;
  }

 private:
  TestDirectory directory_;
};

class ManifestLoaderTest : public ::testing::Test {
 protected:
  absl::StatusOr<LoadResult> Load(bool strict = false) {
    return store_.Run(
        LoadManifests(store_.client(), store_.store().catalog(), folder_.Options(strict)));
  }
  std::string Get(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name) {
    const absl::StatusOr<kube::RawObject> raw = store_.Run(store_.client().Get(gvr, name));
    return raw.ok() ? std::string(raw->json) : raw.status().ToString();
  }
  ManifestFolder folder_;
  TestStore store_;
};

TEST_F(ManifestLoaderTest, LoadsDefinitionsNamespacesAndTheRest) {
  folder_.Write("a-widget.yaml", kWidget);
  folder_.Write("b-operator.yaml", kOperator);
  folder_.Write("c-definition.yaml", kDefinition);
  ASSERT_OK_AND_ASSIGN(const LoadResult result, Load(/*strict=*/true));
  EXPECT_EQ(result.created, 4u);
  EXPECT_EQ(result.updated + result.unchanged + result.skipped, 0u);
  EXPECT_THAT(result.made_namespaces, ElementsAre("team-a"));
  EXPECT_EQ(result.without_owners, 1u);

  const std::string csv = Get(kCsvs, {"ops", "a.v1"});
  EXPECT_THAT(csv, HasSubstr(R"("status":{"phase":"Succeeded"})"));
  EXPECT_THAT(csv, Not(HasSubstr("ownerReferences")));
  EXPECT_THAT(Get(kWidgets, {"team-a", "w"}), HasSubstr(R"("ready":true)"));
}

TEST_F(ManifestLoaderTest, ASecondLoadChangesNothing) {
  folder_.Write("a.yaml", kWidget);
  folder_.Write("b.yaml", kOperator);
  folder_.Write("c.yaml", kDefinition);
  ASSERT_OK(Load());
  const int64_t revision = store_.store().revision();
  ASSERT_OK_AND_ASSIGN(const LoadResult second, Load());
  EXPECT_EQ(second.unchanged, 4u);
  EXPECT_EQ(second.created + second.updated + second.skipped, 0u);
  EXPECT_THAT(second.made_namespaces, IsEmpty());
  EXPECT_EQ(store_.store().revision(), revision);
}

TEST_F(ManifestLoaderTest, UpdatesWhatDiffers) {
  folder_.Write("a.yaml", kWidget);
  folder_.Write("b.yaml", kOperator);
  folder_.Write("c.yaml", kDefinition);
  ASSERT_OK(Load());
  std::string widget = kWidget;
  widget.replace(widget.find("size: 1"), 7, "size: 2");
  folder_.Write("a.yaml", widget);
  std::string op = kOperator;
  op.replace(op.find("Succeeded"), 9, "Failed");
  folder_.Write("b.yaml", op);
  ASSERT_OK_AND_ASSIGN(const LoadResult result, Load());
  EXPECT_EQ(result.updated, 2u);
  EXPECT_EQ(result.unchanged, 2u);
  const std::string stored = Get(kWidgets, {"team-a", "w"});
  EXPECT_THAT(stored, HasSubstr(R"("size":2)"));
  EXPECT_THAT(stored, HasSubstr(R"("generation":2)"));
  EXPECT_THAT(stored, HasSubstr(R"("ready":true)"));
  EXPECT_THAT(Get(kCsvs, {"ops", "a.v1"}), HasSubstr(R"("phase":"Failed")"));
}

TEST_F(ManifestLoaderTest, MakesTheNamespacesThatItIsAskedFor) {
  LoadOptions options;
  options.namespaces = {"default", "b"};
  ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"b"}})"));
  ASSERT_OK_AND_ASSIGN(
      const LoadResult result,
      store_.Run(LoadManifests(store_.client(), store_.store().catalog(), options)));
  EXPECT_THAT(result.made_namespaces, IsEmpty());
  EXPECT_THAT(Get(kube::kNamespaces, {"", "default"}), HasSubstr("Active"));
}

TEST_F(ManifestLoaderTest, BadOnesAreSkippedAndNamed) {
  folder_.Write("a.yaml", std::string(kOperator) + "---\nkind: [\n---\n" + R"(
apiVersion: v1
kind: Pod
metadata: {name: p}
)");
  folder_.Write("notes.txt", "kind: [");
  ASSERT_OK_AND_ASSIGN(const LoadResult result, Load());
  EXPECT_EQ(result.created, 2u);
  EXPECT_EQ(result.skipped, 2u);
  ASSERT_EQ(result.problems.size(), 2u);
  EXPECT_THAT(result.problems[0].where, HasSubstr("a.yaml:14"));
  EXPECT_THAT(result.problems[1].where, HasSubstr("a.yaml:16"));
  EXPECT_THAT(result.problems[1].what, HasSubstr("Pod"));
}

TEST_F(ManifestLoaderTest, StrictWritesNothingAtAll) {
  folder_.Write("a.yaml", kOperator);
  folder_.Write("b.yaml", "kind: Pod\napiVersion: v1\nmetadata: {name: p}\n---\n5\n");
  const int64_t revision = store_.store().revision();
  EXPECT_THAT(Load(/*strict=*/true),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       AllOf(HasSubstr("b.yaml:4: "), HasSubstr("nothing was loaded"),
                             HasSubstr("(and 1 more problems)"))));
  EXPECT_EQ(store_.store().revision(), revision);
}

TEST_F(ManifestLoaderTest, APathThatIsNotThereIsAnError) {
  LoadOptions options;
  options.paths = {"/no/such/folder"};
  EXPECT_THAT(store_.Run(LoadManifests(store_.client(), store_.store().catalog(), options)),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("/no/such/folder")));
}

TEST_F(ManifestLoaderTest, RefusalsOfTheClusterAreReported) {
  ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"ops"}})"));
  ASSERT_OK(store_.Run(store_.client().Delete(kube::kNamespaces, {"", "ops"}, {})));
  folder_.Write("a.yaml", kOperator);
  ASSERT_OK_AND_ASSIGN(const LoadResult result, Load());
  EXPECT_EQ(result.created, 0u);
  ASSERT_EQ(result.problems.size(), 2u);
  EXPECT_THAT(result.problems[0].what, HasSubstr("Namespace ops: it is there, and is being"));
  EXPECT_THAT(result.problems[1].what, HasSubstr("ClusterServiceVersion ops/a.v1: "));
  EXPECT_THAT(result.problems[1].what, HasSubstr("being terminated"));
}

TEST_F(ManifestLoaderTest, TheListOfProblemsIsBounded) {
  std::string text;
  for (int i = 0; i < 70; ++i) text += "---\n5\n";
  folder_.Write("a.yaml", text);
  ASSERT_OK_AND_ASSIGN(const LoadResult result, Load());
  EXPECT_EQ(result.skipped, 70u);
  EXPECT_EQ(result.problems.size(), LoadResult::kMaxProblems);
}

// Tests with a cluster that misbehaves.
class ManifestLoaderFaultTest : public ::testing::Test {
 protected:
  ManifestLoaderFaultTest() {
    cluster_.Serve(kube::kNamespaces);
    cluster_.Serve(kube::kConfigMaps);
  }
  absl::StatusOr<LoadResult> Load() {
    return RunOn(io_, LoadManifests(cluster_, catalog_, folder_.Options()));
  }
  void WriteMaps(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
      text += "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m" + std::to_string(i) +
              ", namespace: a}\ndata: {k: v}\n";
    }
    folder_.Write("maps.yaml", text);
  }
  boost::asio::io_context io_{1};
  FakeClient cluster_;
  ManifestFolder folder_;
  const CatalogPtr catalog_ = std::make_shared<const Catalog>(std::vector<json::object>());
};

TEST_F(ManifestLoaderFaultTest, AFailingClusterEndsTheLoad) {
  WriteMaps(500);
  cluster_.FailNext(FakeClient::Verb::kCreate, kube::kConfigMaps,
                    kube::ToStatus(kube::InternalError("disk full")), 500);
  EXPECT_THAT(Load(), StatusIs(absl::StatusCode::kInternal, HasSubstr("disk full")));
  EXPECT_LE(cluster_.calls(FakeClient::Verb::kCreate, kube::kConfigMaps), 64);
}

VoidTask Discard(Task<LoadResult> load) { (void)co_await std::move(load); }

TEST_F(ManifestLoaderFaultTest, SixtyFourWritesAreUnderWay) {
  WriteMaps(100);
  cluster_.Hold(FakeClient::Verb::kCreate, kube::kConfigMaps);
  TaskGroup tasks(io_.get_executor());
  tasks.Spawn("load", Discard(LoadManifests(cluster_, catalog_, folder_.Options())));
  while (cluster_.calls(FakeClient::Verb::kCreate, kube::kConfigMaps) < 64) io_.run_one();
  io_.poll();
  EXPECT_EQ(cluster_.calls(FakeClient::Verb::kCreate, kube::kConfigMaps), 64);
  // A cancelled load leaves no call behind.
  RunOn(io_, tasks.Stop());
}

TEST_F(ManifestLoaderFaultTest, StartsOverWhenOthersWriteToo) {
  WriteMaps(1);
  cluster_.Put(kube::kConfigMaps,
               R"({"metadata":{"name":"m0","namespace":"a"},"data":{"k":"old"}})");
  cluster_.FailNext(FakeClient::Verb::kUpdate, kube::kConfigMaps,
                    kube::ToStatus(kube::Conflict(kube::kConfigMaps, "m0", "changed")));
  ASSERT_OK_AND_ASSIGN(const LoadResult result, Load());
  EXPECT_EQ(result.updated, 1u);
  EXPECT_THAT(cluster_.Objects(kube::kConfigMaps).at({"a", "m0"}), HasSubstr(R"("k":"v")"));

  cluster_.FailNext(FakeClient::Verb::kUpdate, kube::kConfigMaps,
                    kube::ToStatus(kube::Conflict(kube::kConfigMaps, "m0", "changed")), 100);
  ASSERT_OK_AND_ASSIGN(const LoadResult busy, Load());
  ASSERT_EQ(busy.problems.size(), 1u);
  EXPECT_THAT(busy.problems[0].what, HasSubstr("ConfigMap a/m0: "));
}

}  // namespace
}  // namespace steward::storage
