#include "controllers/apiservice_guard/apiservice_removal.h"

#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/apiservice_guard/registration.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/queue/queue_metrics.h"
#include "controllers/runtime/queue/work_queue.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

const kube::NamespacedName kApi = {"", std::string(kGuardedApiService)};

class NoEvents : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view, std::string_view) override {}
};

class ApiServiceRemovalTest : public ::testing::Test {
 protected:
  ApiServiceRemovalTest() {
    cluster_.Serve(kube::kApiServices);
    cluster_.Serve(kube::kNamespaces);
    PutNamespace("");
    PutApi("steward-system");
  }
  ~ApiServiceRemovalTest() override { RunOn(io_, watches_.Stop()); }

  void PutNamespace(const std::string& more) {
    cluster_.Put(kube::kNamespaces,
                 StrCat(R"({"metadata":{"name":"steward-system","uid":"ns")", more, "}}"));
  }
  void PutApi(const std::string& ns) {
    cluster_.Put(
        kube::kApiServices,
        StrCat(R"({"metadata":{"name":")", kApi.name,
               R"("},"spec":{"service":{"name":"steward-apiserver","namespace":")", ns, R"("}}})"));
  }
  bool Registered() { return cluster_.Objects(kube::kApiServices).contains(kApi); }
  absl::Duration Look() {
    ApiServiceRemoval removal(
        {cluster_, leadership_, worlds_, watches_, events_, clock_, random_, registry_, gates_},
        "steward-system");
    const auto result = RunOn(io_, removal.Reconcile({"", "steward-system"}));
    EXPECT_OK(result.status());
    return result.ok() ? result->requeue_after.value_or(absl::InfiniteDuration())
                       : absl::ZeroDuration();
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  kube::FakeClient cluster_;
  prometheus::Registry registry_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  MetadataWatches watches_{cluster_, clock_, random_, io_.get_executor()};
  TestLeadership leadership_;
  NoEvents events_;
  FeatureGates gates_ = FeatureGates({});
};

constexpr const char* kDeleted = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";

TEST_F(ApiServiceRemovalTest, TheAPIServiceStaysWithTheNamespace) {
  EXPECT_EQ(Look(), absl::Minutes(1));
  EXPECT_TRUE(Registered());
}

TEST_F(ApiServiceRemovalTest, ItGoesWithTheNamespaceAsOftenAsItIsPutBack) {
  PutNamespace(kDeleted);
  EXPECT_EQ(Look(), absl::Seconds(1));
  EXPECT_FALSE(Registered());
  Look();
  PutApi("steward-system");
  Look();
  EXPECT_FALSE(Registered());
  PutApi("steward-system");
  cluster_.Delete(kube::kNamespaces, {"", "steward-system"});
  Look();
  EXPECT_FALSE(Registered()) << "the namespace is gone";
}

TEST_F(ApiServiceRemovalTest, AnothersStays) {
  PutNamespace(kDeleted);
  PutApi("other");
  Look();
  EXPECT_TRUE(Registered());
}

// The account may be gone a moment after the namespace's deletion.
TEST_F(ApiServiceRemovalTest, HearsOfTheDeletionAtOnce) {
  ApiServiceRemoval removal(
      {cluster_, leadership_, worlds_, watches_, events_, clock_, random_, registry_, gates_},
      "steward-system");
  QueueMetrics metrics(registry_, "apiservice-removal");
  WorkQueue queue({}, clock_, metrics);
  TaskGroup feed(io_.get_executor());
  feed.Spawn("feed", removal.Feed(queue));
  const auto settle = [this] {
    io_.restart();
    while (io_.poll() > 0) {
    }
  };
  settle();
  const std::optional<Key> first = RunOn(io_, queue.Take());
  ASSERT_TRUE(first.has_value());
  queue.Done(*first);
  ASSERT_EQ(queue.depth(), 0u);
  PutNamespace(kDeleted);
  settle();
  EXPECT_EQ(queue.depth(), 1u);
  RunOn(io_, feed.Stop());
}

}  // namespace
}  // namespace steward::controllers
