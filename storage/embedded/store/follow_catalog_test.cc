#include "storage/embedded/store/follow_catalog.h"

#include <vector>

#include "base/async/task_group.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "storage/embedded/testing/test_store.h"

namespace steward::storage {
namespace {

using ::testing::ElementsAre;

const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

TEST(FollowCatalogTest, TellsOfTheFirstAndOfEachThatDiffers) {
  TestStore store;
  std::vector<bool> with_widgets;
  TaskGroup tasks(store.io().get_executor());
  tasks.Spawn("follow", FollowCatalog(store.store(), [&with_widgets](const Catalog& catalog) {
                with_widgets.push_back(catalog.Find(kWidgets) != nullptr);
              }));
  store.io().restart();
  store.io().poll();
  EXPECT_THAT(with_widgets, ElementsAre(false));

  ASSERT_OK(store.Create(kube::kNamespaces, "", R"({"metadata":{"name":"a"}})"));
  ASSERT_OK(store.Create(kube::kCrds, "", R"({"apiVersion":"apiextensions.k8s.io/v1",
      "kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},
      "spec":{"group":"example.com","scope":"Namespaced",
              "names":{"plural":"widgets","kind":"Widget"},
              "versions":[{"name":"v1","served":true,"storage":true,
                           "schema":{"openAPIV3Schema":{"type":"object"}}}]}})"));
  ASSERT_OK(store.Create(kube::kNamespaces, "", R"({"metadata":{"name":"b"}})"));
  EXPECT_THAT(with_widgets, ElementsAre(false, true));

  // The definition changes, but not the types that are served.
  const kube::NamespacedName name = {"", "widgets.example.com"};
  const kube::WriteOptions options;
  const boost::json::value patch = {{"metadata", {{"labels", {{"l", "x"}}}}}};
  ASSERT_OK(store.Run(
      store.client().Patch(kube::kCrds, name, kube::PatchType::kJsonMerge, patch, options)));
  ASSERT_OK(store.Create(kube::kNamespaces, "", R"({"metadata":{"name":"c"}})"));
  EXPECT_THAT(with_widgets, ElementsAre(false, true));
  store.Run(tasks.Stop());
}

}  // namespace
}  // namespace steward::storage
