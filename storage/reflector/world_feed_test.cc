#include "storage/reflector/world_feed.h"

#include <boost/asio/io_context.hpp>
#include <map>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "kube/client/raw_object.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/watched_operators.h"
#include "storage/world/world_store.h"

namespace steward::storage {
namespace {

namespace asio = boost::asio;
using kube::FakeClient;
using ::testing::ElementsAre;

const kube::GroupVersionResource kCsvs = {"operators.coreos.com", "v1alpha1",
                                          "clusterserviceversions"};
const kube::GroupVersionResource kGroups = {"operators.coreos.com", "v1", "operatorgroups"};

// Records the requested selectors.
class NotingClient : public kube::HookClient {
 public:
  using HookClient::HookClient;

  Task<kube::ListPage> List(const kube::GroupVersionResource& gvr,
                            const kube::ListOptions& options) override {
    selectors[gvr] = options.label_selector;
    return inner().List(gvr, options);
  }
  Task<std::unique_ptr<kube::Watch>> StartWatch(const kube::GroupVersionResource& gvr,
                                                const kube::WatchOptions& options) override {
    EXPECT_EQ(options.label_selector, selectors[gvr]);
    return inner().StartWatch(gvr, options);
  }

  std::map<kube::GroupVersionResource, std::string> selectors;
};

struct Unreadable : UnreadableObserver {
  void OnUnreadable(Source /*source*/, const kube::NamespacedName& name,
                    const absl::Status& /*why*/) override {
    reported.push_back(name.ns + "/" + name.name);
  }
  void OnUnreadableCount(Source source, size_t count) override { counts[source] = count; }

  std::vector<std::string> reported;
  std::map<Source, size_t> counts;
};

class WorldFeedTest : public ::testing::Test {
 protected:
  ~WorldFeedTest() override { RunOn(io_, tasks_.Stop()); }

  void Start() {
    feed_.Start(tasks_);
    Settle();
  }
  // Runs everything that can run while the clock stands still.
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    clock_.Advance(time);
    Settle();
  }
  void ServeOlm() {
    cluster_.Serve(kCsvs);
    cluster_.Serve(kGroups);
  }
  OperatorWorldPtr Now() const { return OperatorWorld::Of(worlds_.Current()); }
  static std::string Object(const std::string& ns, const std::string& name,
                            const std::string& rest = "") {
    return R"({"metadata":{"name":")" + name + R"(",)" +
           (ns.empty() ? "" : R"("namespace":")" + ns + R"(",)") + R"("uid":"u-)" + ns + name +
           "\"}" + rest + "}";
  }

  asio::io_context io_;
  FakeClock clock_;
  FixedRandom random_{0};
  FakeClient cluster_;
  NotingClient client_{cluster_};
  WorldStore worlds_{kOperatorSources};
  TaskGroup tasks_{io_.get_executor()};
  Unreadable unreadable_;
  WorldFeed feed_{client_, clock_, random_, WatchedOperators(), worlds_, nullptr, &unreadable_};
};

TEST_F(WorldFeedTest, ListsAndFollows) {
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  cluster_.Put(kube::kNamespaces, Object("", "ops"));
  cluster_.Put(kCsvs, Object("ops", "a.v1"));
  Start();
  OperatorWorldPtr world = Now();
  EXPECT_TRUE(world->synced());
  EXPECT_TRUE(world->connected());
  EXPECT_NE(world->csvs().Find({"ops", "a.v1"}), nullptr);

  cluster_.Put(kGroups, Object("ops", "g"));
  cluster_.Delete(kCsvs, {"ops", "a.v1"});
  Settle();
  world = Now();
  EXPECT_NE(world->GroupIn("ops"), nullptr);
  EXPECT_TRUE(world->csvs().empty());
  EXPECT_EQ(client_.selectors[kCsvs], "!olm.copiedFrom");
  EXPECT_EQ(client_.selectors[kube::kNamespaces], "");
}

TEST_F(WorldFeedTest, WithoutOlmEverythingIsEmptyAndReadyAndStartsWhenItAppears) {
  cluster_.Serve(kube::kNamespaces);
  Start();
  EXPECT_FALSE(worlds_.Current()->synced());
  for (int i = 0; i < 10; ++i) Pass(absl::Milliseconds(100));
  EXPECT_TRUE(worlds_.Current()->synced());
  EXPECT_TRUE(worlds_.Current()->source(kCsvSource).absent);
  EXPECT_TRUE(Now()->csvs().empty());
  ServeOlm();
  cluster_.Put(kCsvs, Object("ops", "a.v1"));
  Pass(absl::Seconds(3));
  EXPECT_EQ(Now()->csvs().size(), 1u);
}

TEST_F(WorldFeedTest, WhatComesAtOnceIsPublishedAtOnce) {
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  Start();
  const Broadcast::Ticket before = worlds_.published().Now();
  for (const char* name : {"a", "b", "c"}) cluster_.Put(kube::kNamespaces, Object("", name));
  Settle();
  EXPECT_EQ(Now()->namespaces().size(), 3u);
  EXPECT_EQ(worlds_.published().Now(), before + 1);
}

// When another replica lists later than this one, its numbers name revisions at which nothing
// happened.
TEST_F(WorldFeedTest, CatchesUpWithARevisionThatTheStreamsDoNotBring) {
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  cluster_.Put(kube::kNamespaces, Object("", "ops"));
  cluster_.Put(kCsvs, Object("ops", "a.v1"));
  cluster_.Put(kCsvs, R"({"metadata":{"name":"bad.v1","namespace":"ops","uid":"u",)"
                      R"("annotations":{"olm.operatorNamespace":7}}})");
  Start();
  cluster_.Put(kCsvs, Object("ops", "b.v1"));
  cluster_.Put(kCsvs, Object("ops", "b.v1", R"(,"spec":{"version":"1"})"));
  cluster_.Put(kCsvs, Object("ops", "c.v1"));
  cluster_.Delete(kCsvs, {"ops", "c.v1"});
  Settle();
  const uint64_t later = cluster_.Touch();
  const StateVector wanted = {later, later, later};
  EXPECT_EQ(worlds_.Current()->Knows(wanted), Knowledge::kNotYet);
  const std::string number = worlds_.Now().number().ToString();
  feed_.CatchUp(wanted);
  Settle();
  EXPECT_EQ(worlds_.Current()->Knows(wanted), Knowledge::kKnown);
  EXPECT_EQ(worlds_.Now().number().ToString(), number) << "nothing changed";

  // Objects that came and went before are told by the stream afterwards, and have no effect any
  // more.
  for (auto type : {kube::WatchEvent::Type::kAdded, kube::WatchEvent::Type::kDeleted}) {
    cluster_.SendEvent(
        kCsvs, {type, std::to_string(later), kube::OwnedRawObject(Object("ops", "ghost.v1"))});
    Settle();
    EXPECT_EQ(Now()->csvs().size(), 2u);
    EXPECT_EQ(worlds_.Now().number().ToString(), number);
  }
  cluster_.Put(kCsvs, Object("ops", "d.v1"));
  Settle();
  EXPECT_EQ(Now()->csvs().size(), 3u);
}

TEST_F(WorldFeedTest, NotSyncedBeforeTheLastListArrives) {
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  cluster_.FailNext(FakeClient::Verb::kList, kGroups,
                    kube::ToStatus(kube::ServiceUnavailable("starting", 1)));
  Start();
  EXPECT_FALSE(worlds_.Current()->synced());
  Pass(absl::Seconds(2));
  EXPECT_TRUE(worlds_.Current()->synced());
}

// A server in front of the API server denies everything for a minute, then passes requests on.
TEST_F(WorldFeedTest, AServerThatDeniesEverythingIsNotAnEmptyCluster) {
  Start();
  for (int i = 0; i < 60; ++i) {
    Pass(absl::Seconds(1));
    EXPECT_FALSE(worlds_.Current()->synced());
  }
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  cluster_.Put(kube::kNamespaces, Object("", "ops"));
  cluster_.Put(kCsvs, Object("ops", "a.v1"));
  for (int i = 0; i < 100; ++i) {
    Pass(absl::Milliseconds(100));
    EXPECT_EQ(Now()->csvs().size(), worlds_.Current()->synced() ? 1u : 0u);
  }
  EXPECT_TRUE(worlds_.Current()->synced());
}

// The held state stays while the server denies all three kinds for a while.
TEST_F(WorldFeedTest, DenialsForAWhileDropNothing) {
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  cluster_.Put(kube::kNamespaces, Object("", "ops"));
  cluster_.Put(kCsvs, Object("ops", "a.v1"));
  Start();
  for (const kube::GroupVersionResource& gvr : {kCsvs, kGroups, kube::kNamespaces}) {
    cluster_.FailNext(FakeClient::Verb::kWatch, gvr, kube::ToStatus(kube::NotFoundPath()), 6);
    cluster_.BreakWatches(gvr);
  }
  for (int i = 0; i < 60; ++i) {
    Pass(absl::Seconds(1));
    EXPECT_EQ(Now()->csvs().size(), 1u) << i;
    EXPECT_EQ(Now()->namespaces().size(), 1u) << i;
  }
  EXPECT_TRUE(worlds_.Current()->connected());
}

TEST_F(WorldFeedTest, AnObjectThatCannotBeReadIsLeftOutAndReportedOnce) {
  constexpr char kWrong[] = R"({"metadata":{"name":"good.v1","namespace":"ops","labels":7}})";
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  cluster_.Put(kCsvs, Object("ops", "good.v1"));
  cluster_.Put(kCsvs,
               R"({"metadata":{"name":"bad.v1","namespace":"ops","uid":"u","finalizers":7}})");
  Start();
  EXPECT_EQ(Now()->csvs().size(), 1u);
  EXPECT_THAT(unreadable_.reported, ElementsAre("ops/bad.v1"));
  EXPECT_EQ(unreadable_.counts[kCsvSource], 1u);

  cluster_.Put(kCsvs, kWrong);
  Settle();
  cluster_.Put(kCsvs, kWrong);
  Settle();
  EXPECT_TRUE(Now()->csvs().empty());
  EXPECT_THAT(unreadable_.reported, ElementsAre("ops/bad.v1", "ops/good.v1"));
  EXPECT_EQ(unreadable_.counts[kCsvSource], 2u);

  cluster_.Put(kCsvs, Object("ops", "good.v1", R"(,"spec":{"version":{}})"));
  cluster_.Delete(kCsvs, {"ops", "bad.v1"});
  Settle();
  EXPECT_EQ(Now()->csvs().size(), 1u) << "a view passes the version on";
  EXPECT_EQ(unreadable_.counts[kCsvSource], 0u);
}

TEST_F(WorldFeedTest, KeepsServingWhileTheSourceIsAway) {
  ServeOlm();
  cluster_.Serve(kube::kNamespaces);
  cluster_.Put(kCsvs, Object("ops", "a.v1"));
  Start();
  cluster_.FailNext(FakeClient::Verb::kWatch, kCsvs, absl::UnavailableError("refused"), 2);
  cluster_.BreakWatches(kCsvs);
  Settle();
  EXPECT_FALSE(worlds_.Current()->connected());
  EXPECT_TRUE(worlds_.Current()->synced());
  EXPECT_EQ(Now()->csvs().size(), 1u);
  cluster_.Put(kCsvs, Object("ops", "b.v1"));
  Pass(absl::Minutes(1));
  Pass(absl::Minutes(1));
  Pass(absl::Minutes(1));
  EXPECT_TRUE(worlds_.Current()->connected());
  EXPECT_EQ(Now()->csvs().size(), 2u);
  EXPECT_EQ(cluster_.calls(FakeClient::Verb::kList, kCsvs), 1);
}

}  // namespace
}  // namespace steward::storage
