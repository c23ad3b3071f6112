#include "storage/embedded/loader/manifest_plan.h"

#include <string>
#include <string_view>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/manifest/manifest_files.h"
#include "storage/embedded/types/catalog.h"

namespace steward::storage {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

ManifestPlan Plan(std::string_view yaml) {
  kube::Manifests manifests;
  kube::ParseManifests("m.yaml", yaml, manifests);
  return PlanManifests(std::move(manifests), Catalog({}));
}

std::vector<std::string> Names(const std::vector<PlannedObject>& objects) {
  std::vector<std::string> names;
  for (const PlannedObject& object : objects) names.push_back(object.Name());
  return names;
}

constexpr std::string_view kWidgets = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - {name: v1, served: true, storage: true, subresources: {status: {}},
     schema: {openAPIV3Schema: {type: object}}}
)";

TEST(ManifestPlanTest, SortsByWhatMustBeThereFirst) {
  const ManifestPlan plan = Plan(std::string(R"(
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: a}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m}
---
apiVersion: v1
kind: Namespace
metadata: {name: b, namespace: ignored}
---)") + std::string(kWidgets));
  EXPECT_THAT(plan.problems, IsEmpty());
  EXPECT_THAT(Names(plan.definitions), ElementsAre("CustomResourceDefinition widgets.example.com"));
  EXPECT_THAT(Names(plan.namespaces), ElementsAre("Namespace b"));
  EXPECT_THAT(Names(plan.others), ElementsAre("Widget a/w", "ConfigMap default/m"));
  EXPECT_THAT(plan.missing_namespaces, ElementsAre("a", "default"));
  EXPECT_EQ(plan.others[0].where, "m.yaml:1");
  EXPECT_EQ(plan.others[0].gvr, (kube::GroupVersionResource{"example.com", "v1", "widgets"}));
}

TEST(ManifestPlanTest, LeavesOutWhatOnlyAServerSays) {
  const ManifestPlan plan = Plan(R"(
apiVersion: operators.coreos.com/v1alpha1
kind: ClusterServiceVersion
metadata:
  name: a.v1
  namespace: ops
  labels: {l: x}
  finalizers: [example.com/keep]
  uid: u
  resourceVersion: "12"
  generation: 3
  creationTimestamp: "2026-01-01T00:00:00Z"
  deletionTimestamp: "2026-01-01T00:00:00Z"
  deletionGracePeriodSeconds: 0
  managedFields: []
  selfLink: /x
  ownerReferences: [{apiVersion: v1, kind: X, name: x, uid: gone}]
spec: {version: 1.0.0}
status: {phase: Succeeded}
)");
  EXPECT_THAT(plan.problems, IsEmpty());
  ASSERT_EQ(plan.others.size(), 1u);
  EXPECT_EQ(Serialize(plan.others[0].object),
            R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)"
            R"("metadata":{"name":"a.v1","namespace":"ops","labels":{"l":"x"},)"
            R"("finalizers":["example.com/keep"]},"spec":{"version":"1.0.0"}})");
  ASSERT_TRUE(plan.others[0].status.has_value());
  EXPECT_EQ(Serialize(*plan.others[0].status), R"({"phase":"Succeeded"})");
  EXPECT_EQ(plan.without_owners, 1u);
}

TEST(ManifestPlanTest, StatusOfNamespacesAndDefinitionsIsTheServers) {
  const ManifestPlan plan = Plan(R"(
apiVersion: v1
kind: Namespace
metadata: {name: a}
status: {phase: Terminating}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: m, namespace: a}
status: {just: data}
)");
  EXPECT_FALSE(plan.namespaces[0].status.has_value());
  EXPECT_FALSE(plan.namespaces[0].object.contains("status"));
  // A kind without the subresource keeps status like any other member.
  EXPECT_FALSE(plan.others[0].status.has_value());
  EXPECT_TRUE(plan.others[0].object.contains("status"));
}

TEST(ManifestPlanTest, SaysWhatIsWrong) {
  struct Case {
    const char* name;
    const char* yaml;
    const char* why;
  };
  const std::vector<Case> cases = {
      {"no kind", "apiVersion: v1\nmetadata: {name: a}", "has no apiVersion or no kind"},
      {"unknown kind", "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}",
       "nothing here serves Deployment of apps/v1"},
      {"unknown version", "apiVersion: v2\nkind: Namespace\nmetadata: {name: a}",
       "nothing here serves Namespace of v2"},
      {"no metadata", "apiVersion: v1\nkind: Namespace", "Namespace has no metadata.name"},
      {"generateName", "apiVersion: v1\nkind: Namespace\nmetadata: {generateName: a-}",
       "Namespace has no metadata.name"},
      {"a word that YAML takes for false", "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}",
       "metadata.name is false, which is no text: YAML reads words like n"},
      {"a number", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: 7}",
       "metadata.namespace is 7, which is no text"},
      {"no text at all", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {}}",
       "metadata.name is no text"},
      {"what is computed",
       "apiVersion: views.operators.coreos.com/v1alpha1\nkind: CleanupStatus\nmetadata: {name: a}",
       "CleanupStatus is computed from other objects"},
      {"bad name", "apiVersion: v1\nkind: Namespace\nmetadata: {name: A_B}", "metadata.name"},
      {"bad label", "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {l: 'not good'}}",
       "metadata.labels"},
      {"bad definition",
       "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
       "metadata: {name: a.b}\nspec: {}",
       "a.b"},
      {"a number for a version",
       "apiVersion: operators.coreos.com/v1alpha1\nkind: ClusterServiceVersion\n"
       "metadata: {name: a, namespace: apps}\nspec: {version: 1.10}",
       "spec.version: Invalid value: \"number\": spec.version in body must be of type string"},
      {"a wrong status",
       "apiVersion: operators.coreos.com/v1\nkind: OperatorGroup\n"
       "metadata: {name: a, namespace: apps}\nstatus: {namespaces: all}",
       "status.namespaces"},
      {"group as apiVersion", "apiVersion: v1/x/y\nkind: Namespace\nmetadata: {name: a}",
       "nothing here serves Namespace of v1/x/y"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    const ManifestPlan plan = Plan(c.yaml);
    EXPECT_TRUE(plan.definitions.empty() && plan.namespaces.empty() && plan.others.empty());
    ASSERT_EQ(plan.problems.size(), 1u);
    EXPECT_EQ(plan.problems[0].where, "m.yaml:1");
    EXPECT_THAT(plan.problems[0].what, HasSubstr(c.why));
  }
}

TEST(ManifestPlanTest, DefinitionsJudgeTheObjectsBesideThem) {
  const ManifestPlan plan = Plan(R"(
apiVersion: example.com/v1
kind: Widget
metadata: {name: w, namespace: a}
spec: {size: big}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties: {spec: {type: object, properties: {size: {type: integer}}}}
)");
  EXPECT_THAT(plan.others, IsEmpty());
  ASSERT_EQ(plan.problems.size(), 1u);
  EXPECT_EQ(plan.problems[0].where, "m.yaml:1");
  EXPECT_THAT(plan.problems[0].what, HasSubstr("spec.size"));
}

TEST(ManifestPlanTest, TheFirstOfTheSameNameStays) {
  const ManifestPlan plan = Plan(R"(
apiVersion: v1
kind: Namespace
metadata: {name: a, labels: {n: first}}
---
apiVersion: v1
kind: Namespace
metadata: {name: a}
)");
  ASSERT_EQ(plan.namespaces.size(), 1u);
  EXPECT_THAT(Serialize(plan.namespaces[0].object), HasSubstr("first"));
  ASSERT_EQ(plan.problems.size(), 1u);
  EXPECT_EQ(plan.problems[0].where, "m.yaml:5");
  EXPECT_EQ(plan.problems[0].what, "Namespace a is there already, at m.yaml:1");
}

TEST(ManifestPlanTest, ADefinitionThatIsRefusedDefinesNothing) {
  const ManifestPlan plan = Plan(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.elsewhere.com}
spec: {group: example.com, scope: Namespaced, names: {plural: widgets, kind: Widget}, versions: []}
---
apiVersion: example.com/v1
kind: Widget
metadata: {name: w}
)");
  EXPECT_EQ(plan.problems.size(), 2u);
  EXPECT_TRUE(plan.others.empty());
}

}  // namespace
}  // namespace steward::storage
