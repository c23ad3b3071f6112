#include "storage/embedded/store/caught_up.h"

#include <string>

#include "base/async/task_group.h"
#include "base/clock/clock.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "storage/embedded/testing/test_store.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/watched_operators.h"
#include "storage/reflector/world_feed.h"
#include "storage/world/world_store.h"

namespace steward::storage {
namespace {

const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                          "clusterserviceversions"};

class CaughtUpTest : public ::testing::Test {
 protected:
  CaughtUpTest() { feed_.Start(tasks_); }
  ~CaughtUpTest() override { store_.Run(tasks_.Stop()); }

  absl::Status Wait() { return store_.Run(WaitUntilCaughtUp(store_.store(), worlds_)); }

  TestStore store_;
  WorldStore worlds_{kOperatorSources};
  TaskGroup tasks_{store_.io().get_executor()};
  WorldFeed feed_{store_.client(), Clock::Real(), Random::Real(), WatchedOperators(), worlds_};
};

TEST_F(CaughtUpTest, WaitsForTheFirstLists) {
  ASSERT_OK(Wait());
  EXPECT_TRUE(worlds_.Current()->synced());
}

TEST_F(CaughtUpTest, TheWorldShowsWhatWasWritten) {
  ASSERT_OK(Wait());
  for (int i = 0; i < 20; ++i) {
    const std::string name = "n" + std::to_string(i);
    ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":")" + name + "\"}}"));
    ASSERT_OK(store_.Create(kCsvs, name, R"({"apiVersion":"operators.coreos.com/v1alpha1",
        "kind":"ClusterServiceVersion","metadata":{"name":"a.v1"},"spec":{}})"));
    ASSERT_OK(Wait());
    const OperatorWorldPtr world = OperatorWorld::Of(worlds_.Current());
    EXPECT_NE(world->namespaces().Find(name), nullptr);
    EXPECT_NE(world->csvs().Find({name, "a.v1"}), nullptr);
  }
}

TEST_F(CaughtUpTest, OtherResourcesAreNotWaitedFor) {
  ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"a"}})"));
  ASSERT_OK(Wait());
  const kube::GroupVersionResource maps = {"", "v1", "configmaps"};
  ASSERT_OK(store_.Create(maps, "a", R"({"metadata":{"name":"m"}})"));
  ASSERT_OK(Wait());
}

// A World does not follow copies, so it never shows them.
TEST_F(CaughtUpTest, CopiesAreNotWaitedFor) {
  ASSERT_OK(Wait());
  ASSERT_OK(store_.Create(kube::kNamespaces, "", R"({"metadata":{"name":"a"}})"));
  ASSERT_OK(store_.Create(kCsvs, "a", R"({"apiVersion":"operators.coreos.com/v1alpha1",
      "kind":"ClusterServiceVersion","metadata":{"name":"a.v1","labels":{"olm.copiedFrom":"b"}},
      "spec":{}})"));
  ASSERT_OK(Wait());
  EXPECT_EQ(OperatorWorld::Of(worlds_.Current())->csvs().Find({"a", "a.v1"}), nullptr);
}

}  // namespace
}  // namespace steward::storage
