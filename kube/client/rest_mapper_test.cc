#include "kube/client/rest_mapper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"

namespace steward::kube {
namespace {

using ::testing::Eq;

const GroupVersion kExample{"example.com", "v1"};
const GroupVersionResource kDiscovery{"example.com", "v1", ""};
const GroupVersionKind kWidget{"example.com", "v1", "Widget"};
const GroupVersionKind kShop{"example.com", "v1", "Shop"};
const ApiResource kWidgets{"Widget", "widgets", true, {"get"}};
const ApiResource kShops{"Shop", "shops", false, {"get"}};
const RestMapping kWidgetsMapping{{"example.com", "v1", "widgets"}, true};
const RestMapping kShopsMapping{{"example.com", "v1", "shops"}, false};

class RestMapperTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::optional<RestMapping>> Find(const GroupVersionKind& gvk) {
    return RunOn(io_, mapper_.Find(gvk));
  }
  int asked() const { return cluster_.calls(ClientVerb::kDiscover, kDiscovery); }
  void FailNext(absl::Status error) {
    cluster_.FailNext(ClientVerb::kDiscover, kDiscovery, std::move(error));
  }

  boost::asio::io_context io_;
  FakeClock clock_;
  FakeClient cluster_;
  RestMapper mapper_{cluster_, clock_, {.ttl = absl::Seconds(30), .max_group_versions = 2}};
};

TEST_F(RestMapperTest, KeepsWhatIsThere) {
  cluster_.Publish(kExample, {kWidgets, kShops});
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(kWidgetsMapping)));
  EXPECT_THAT(Find(kShop), IsOkAndHolds(Eq(kShopsMapping)));
  EXPECT_EQ(asked(), 1);
  clock_.Advance(absl::Seconds(29));
  EXPECT_THAT(Find(kShop), IsOkAndHolds(Eq(kShopsMapping)));
  EXPECT_EQ(asked(), 1);
  cluster_.Publish(kExample, {kWidgets});
  clock_.Advance(absl::Seconds(1));
  EXPECT_THAT(Find(kShop), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_EQ(asked(), 2);
}

TEST_F(RestMapperTest, AbsenceIsAskedForEachTime) {
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_EQ(asked(), 2);
  cluster_.Publish(kExample, {kShops});
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_EQ(asked(), 4);
  cluster_.Publish(kExample, {kShops, kWidgets});
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(kWidgetsMapping)));
  EXPECT_EQ(asked(), 5);
}

TEST_F(RestMapperTest, AnOutageIsNoAbsence) {
  for (const absl::Status& error :
       {absl::UnavailableError("no route"), absl::DeadlineExceededError("silence"),
        absl::DataLossError("a proxy's page"), ToStatus(ServiceUnavailable("down", 1)),
        ToStatus(Forbidden(kDiscovery, "", "no")), ToStatus(Timeout("busy", 1))}) {
    FailNext(error);
    EXPECT_EQ(Find(kWidget).status(), error);
  }
  // After an outage, the kept answer is still used.
  cluster_.Publish(kExample, {kWidgets});
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(kWidgetsMapping)));
  FailNext(absl::UnavailableError("no route"));
  EXPECT_FALSE(Find(kShop).ok());
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(kWidgetsMapping)));
}

TEST_F(RestMapperTest, AVersionThatWentIsForgotten) {
  cluster_.Publish(kExample, {kWidgets});
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(kWidgetsMapping)));
  cluster_.Unpublish(kExample);
  EXPECT_THAT(Find(kShop), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(std::nullopt)));
}

TEST_F(RestMapperTest, ForgetsOnDemand) {
  cluster_.Publish(kExample, {kWidgets});
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(kWidgetsMapping)));
  cluster_.Publish(kExample, {});
  mapper_.Forget(kExample);
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(std::nullopt)));
  EXPECT_EQ(asked(), 2);
}

TEST_F(RestMapperTest, AnAnswerFromBeforeIsNotKept) {
  cluster_.Publish(kExample, {kWidgets});
  TaskGroup tasks(io_.get_executor());
  cluster_.Hold(ClientVerb::kDiscover, kDiscovery);
  const auto find = [](RestMapper& mapper) -> VoidTask {
    const absl::StatusOr<std::optional<RestMapping>> found = co_await mapper.Find(kWidget);
    EXPECT_THAT(found, IsOkAndHolds(Eq(kWidgetsMapping)));
  };
  tasks.Spawn("find", find(mapper_));
  io_.poll();
  mapper_.Forget(kExample);
  cluster_.Release(ClientVerb::kDiscover, kDiscovery);
  io_.restart();
  io_.run();
  EXPECT_THAT(Find(kWidget), IsOkAndHolds(Eq(kWidgetsMapping)));
  EXPECT_EQ(asked(), 2);
  RunOn(io_, tasks.Stop());
}

TEST_F(RestMapperTest, AnyVersionThatHasTheKind) {
  const auto any = [this](const char* kind) {
    return RunOn(io_, mapper_.FindAny("example.com", kind));
  };
  cluster_.Publish(kExample, {kWidgets});
  cluster_.Publish({"example.com", "v2"}, {kShops});
  cluster_.Publish({"other.com", "v1"}, {{"Relic", "relics", true, {}}});
  EXPECT_THAT(any("Widget"), IsOkAndHolds(Eq(kWidgetsMapping)));
  EXPECT_THAT(any("Shop"), IsOkAndHolds(Eq(RestMapping{{"example.com", "v2", "shops"}, false})));
  EXPECT_THAT(any("Relic"), IsOkAndHolds(Eq(std::nullopt)));
  cluster_.FailNext(ClientVerb::kDiscover, {}, absl::UnavailableError("away"));
  EXPECT_EQ(any("Relic").status(), absl::UnavailableError("away"));
  FailNext(absl::UnavailableError("away"));
  mapper_.Forget(kExample);
  EXPECT_EQ(any("Relic").status(), absl::UnavailableError("away"));
}

TEST_F(RestMapperTest, IsBounded) {
  cluster_.Publish(kExample, {kWidgets});
  EXPECT_OK(Find(kWidget));
  for (const char* version : {"v2", "v3"}) {
    cluster_.Publish({"example.com", version}, {kWidgets});
    EXPECT_OK(Find({"example.com", version, "Widget"}));
  }
  EXPECT_OK(Find(kWidget));
  EXPECT_EQ(asked(), 2);
}

}  // namespace
}  // namespace steward::kube
