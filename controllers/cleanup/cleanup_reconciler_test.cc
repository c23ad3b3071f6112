#include "controllers/cleanup/cleanup_reconciler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/task_group.h"
#include "base/flags/feature_gates.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/testing/cluster.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/queue/queue_metrics.h"
#include "controllers/runtime/queue/work_queue.h"
#include "kube/testing/hook_client.h"
#include "olm/decode.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Silence : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view, std::string_view) override {}
};

class CleanupReconcilerTest : public ::testing::Test {
 protected:
  void Start(const ClusterShape& shape, CleanupOptions options = {}) {
    cluster_ = std::make_unique<TestCluster>(shape);
    faults_ = std::make_unique<kube::HookClient>(cluster_->client(), cluster_->clock());
    watches_ = std::make_unique<MetadataWatches>(cluster_->client(), cluster_->clock(), random_,
                                                 cluster_->io().get_executor());
    queue_ = std::make_unique<WorkQueue>(RateLimits{}, cluster_->clock(), queue_metrics_);
    tasks_ = std::make_unique<TaskGroup>(cluster_->io().get_executor());
    ReconcilerDeps deps{*faults_,          leader_, worlds_,   *watches_, events_,
                        cluster_->clock(), random_, registry_, gates_};
    reconciler_ = std::make_unique<CleanupReconciler>(deps, metrics_, std::move(options));
    tasks_->Spawn("delays", queue_->RunDelays());
    tasks_->Spawn("feed", reconciler_->Feed(*queue_));
  }
  void TearDown() override {
    cluster_->Run(tasks_->Stop());
    reconciler_.reset();
    cluster_->Run(watches_->Stop());
  }
  // Takes the next key, and reconciles it.
  Key Next() {
    const std::optional<Key> key = cluster_->Run(queue_->Take());
    const absl::StatusOr<ReconcileResult> result = cluster_->Run(reconciler_->Reconcile(*key));
    EXPECT_OK(result.status());
    if (result.ok() && result->requeue_after.has_value()) {
      queue_->AddAfter(*key, *result->requeue_after);
    }
    queue_->Done(*key);
    if (*key == kCsv) ++looks_;
    return *key;
  }
  void Settle() {
    cluster_->io().restart();
    cluster_->io().run_for(std::chrono::milliseconds(1));
  }
  bool Released() {
    return !cluster_->HasFinalizer("operatorframework.io/delete-custom-resources");
  }
  // Reconciles keys until that of the CSV has come.
  void UntilCsv() {
    while (Next() != kCsv) {
    }
  }

  AlwaysLeader leader_;
  Silence events_;
  SeededRandom random_{1};
  prometheus::Registry registry_;
  const FeatureGates gates_ = FeatureGates({});
  CleanupMetrics metrics_{registry_};
  QueueMetrics queue_metrics_{registry_, "cleanup"};
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  std::unique_ptr<TestCluster> cluster_;
  std::unique_ptr<kube::HookClient> faults_;
  std::unique_ptr<MetadataWatches> watches_;
  std::unique_ptr<WorkQueue> queue_;
  std::unique_ptr<TaskGroup> tasks_;
  std::unique_ptr<CleanupReconciler> reconciler_;
  int looks_ = 0;  // looks at the CSV
};

TEST_F(CleanupReconcilerTest, OperatorsThatAreOptedInAreLookedAt) {
  Start({});
  UntilCsv();
  EXPECT_NE(cluster_->Condition("RightsHeld"), "");
  cluster_->Run(cluster_->AddWidget("a", "x", false));
  cluster_->DeleteCsv();
  for (int i = 0; i < 20 && cluster_->HasFinalizer("operatorframework.io/delete-custom-resources");
       ++i) {
    Next();
    cluster_->clock().Advance(absl::Seconds(1));
  }
  EXPECT_THAT(cluster_->Names(kWidgets), IsEmpty());
  EXPECT_FALSE(cluster_->HasFinalizer("operatorframework.io/delete-custom-resources"));
}

// Without policies nothing refuses these deletions, and the garbage collector takes its finalizer
// away before Steward looks.
TEST_F(CleanupReconcilerTest, R_000_73_WithoutPoliciesOnlyAPlainDeletionDeletesAnything) {
  using Propagation = kube::DeleteOptions::Propagation;
  struct Row {
    const char* name;
    Propagation propagation;
    bool watched;
    bool cleans;
  };
  for (const Row& row : {
           Row{"plain", Propagation::kBackground, true, true},
           Row{"orphan", Propagation::kOrphan, true, false},
           Row{"foreground", Propagation::kForeground, true, false},
           Row{"nobody watched", Propagation::kOrphan, false, false},
       }) {
    SCOPED_TRACE(row.name);
    if (reconciler_ != nullptr) TearDown();
    CleanupOptions options;
    options.cleaner.guards.allow_unprotected = true;
    Start({}, options);
    if (row.watched) UntilCsv();
    cluster_->Run(cluster_->AddWidget("a", "x", false));
    kube::DeleteOptions how;
    how.propagation = row.propagation;
    cluster_->DeleteCsv(how);
    if (row.watched) Settle();
    cluster_->Run(cluster_->Merge(
        kCsvs, kCsv,
        R"({"metadata":{"finalizers":["operatorframework.io/delete-custom-resources"]}})"));
    for (int i = 0; i < 40 && !Released(); ++i) {
      Next();
      cluster_->clock().Advance(absl::Seconds(1));
    }
    EXPECT_TRUE(Released());
    EXPECT_EQ(cluster_->Names(kWidgets).empty(), row.cleans);
  }
}

// Pending operands are watched while they are pending, and a look follows soon when one goes;
// without the watch there would be a look every ten seconds.
TEST_F(CleanupReconcilerTest, WhatGoesIsSeenSoon) {
  Start({});
  UntilCsv();
  const size_t running = watches_->running();
  cluster_->Run(cluster_->AddWidget("a", "x", true));
  cluster_->Run(cluster_->AddWidget("b", "y", true));
  cluster_->DeleteCsv();
  const auto advance = [this](absl::Duration time) {
    for (; time > absl::ZeroDuration(); time -= absl::Milliseconds(20)) {
      cluster_->clock().Advance(absl::Milliseconds(20));
      Settle();
      while (queue_->depth() > 0) Next();
    }
  };
  advance(absl::Seconds(40));
  EXPECT_EQ(watches_->running(), running + 2);
  EXPECT_THAT(prometheus::TextSerializer().Serialize(registry_.Collect()),
              HasSubstr("steward_cleanup_operand_watches 2"));
  const int looks = looks_;
  advance(absl::Seconds(55));
  // Without a change there is one look every half minute, and one for the sweep.
  EXPECT_LE(looks_, looks + 3);
  EXPECT_FALSE(Released());
  cluster_->Run(cluster_->OperatorFinishes(2));
  // The store sends the events from a thread of its own, when it comes to it. Without them it would
  // take half a minute of the clock.
  for (int i = 0; i < 100 && !(Released() && watches_->running() == 1u); ++i) {
    advance(absl::Milliseconds(100));
    cluster_->io().restart();
    while (cluster_->io().run_one_for(std::chrono::milliseconds(20)) > 0) {
    }
  }
  EXPECT_TRUE(Released());
  EXPECT_EQ(watches_->running(), 1u) << "and nothing is watched any more";
}

TEST_F(CleanupReconcilerTest, OthersCostNothing) {
  ClusterShape shape;
  shape.opted_in = false;
  Start(shape);
  EXPECT_EQ(Next(), CleanupReconciler::kSweepKey);
  EXPECT_EQ(watches_->running(), 1u) << "no rights are watched";
  EXPECT_EQ(queue_->depth(), 0u);
}

TEST_F(CleanupReconcilerTest, NewRightsAreHeldSoon) {
  Start({});
  UntilCsv();
  EXPECT_EQ(watches_->running(), 5u);
  cluster_->Run(cluster_->Create(
      kClusterRoles, "",
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":)"
      R"({"name":"more","labels":{"olm.owner":"widget.v1","olm.owner.namespace":"ops",)"
      R"("olm.owner.kind":"ClusterServiceVersion"}}})"));
  const auto held = [this] {
    return !FinalizersOf(cluster_->Run(cluster_->Find(kClusterRoles, {"", "more"}))).empty();
  };
  for (int i = 0; i < 50 && !held(); ++i) {
    cluster_->clock().Advance(absl::Seconds(2));
    Next();
  }
  EXPECT_TRUE(held());
}

// One operator is seen only by the sweep, and the sweep is incomplete.
TEST_F(CleanupReconcilerTest, R_000_72_ASweepThatFailsInPartQueuesWhoWaits) {
  Start({});
  UntilCsv();
  cluster_->Run(
      cluster_->Merge(kCsvs, kCsv, R"({"metadata":{"labels":{"olm.copiedFrom":"elsewhere"}}})"));
  cluster_->DeleteCsv();
  Settle();
  const auto take = [this] {
    const Key key = *cluster_->Run(queue_->Take());
    queue_->Done(key);
    return key;
  };
  while (queue_->depth() > 0) take();
  faults_->FailNext({kube::ClientVerb::kList,
                     {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations"}},
                    absl::UnavailableError("no"));
  EXPECT_FALSE(cluster_->Run(reconciler_->Reconcile(CleanupReconciler::kSweepKey)).ok());
  ASSERT_EQ(queue_->depth(), 1u);
  EXPECT_EQ(take(), kCsv);
  const auto metrics = [this] {
    return prometheus::TextSerializer().Serialize(registry_.Collect());
  };
  EXPECT_THAT(metrics(), HasSubstr("steward_cleanup_sweep_failing 1"));
  EXPECT_OK(cluster_->Run(reconciler_->Reconcile(CleanupReconciler::kSweepKey)).status());
  EXPECT_THAT(metrics(), HasSubstr("steward_cleanup_sweep_failing 0"));
}

// There are as many cleanups as workers, each waiting for an answer that does not come.
class StuckCleanupsTest : public ::testing::Test {
 protected:
  StuckCleanupsTest()
      : StuckCleanupsTest(CleanupControllerOptions().workers, R"({"cleanup":{"enabled":true}})",
                          {}) {}
  // Adds `count` operators with this spec.
  StuckCleanupsTest(size_t count, const std::string& spec, const olm::CsvTerms& terms) {
    options_.cleaner.guards.terms = terms;
    for (size_t i = 0; i < count; ++i) {
      const kube::NamespacedName stuck = {"a", StrCat("stuck.", i)};
      cluster_.Run(cluster_.AddOtherCsv(stuck.ns, stuck.name, spec));
      Merge(stuck,
            R"({"metadata":{"finalizers":["operatorframework.io/delete-custom-resources"]}})");
      cluster_.Run(cluster_.Remove(kCsvs, stuck));
      Publish(stuck);
      const kube::Calls gets = {kube::ClientVerb::kGet, kCsvs, stuck.name};
      faults_.Hold(gets);
      stuck_.push_back(gets);
    }
    controller_.Start();
    EXPECT_TRUE(Until([this] { return Stuck() >= CleanupControllerOptions().workers; }));
  }
  ~StuckCleanupsTest() override {
    cluster_.Run(Stop(controller_));
    cluster_.Run(watches_.Stop());
  }
  static VoidTask Stop(Controller& controller) {
    const bool ignored = co_await controller.Stop(absl::ZeroDuration());
    (void)ignored;
  }
  void Merge(const kube::NamespacedName& csv, const std::string& patch) {
    cluster_.Run(cluster_.Merge(kCsvs, csv, patch));
  }
  // Publishes the CSV in a World.
  void Publish(const kube::NamespacedName& name) {
    const absl::StatusOr<olm::CsvPtr> csv =
        olm::DecodeCsv(Serialize(cluster_.Run(cluster_.Find(kCsvs, name))));
    ASSERT_OK(csv.status());
    writer_.Put(*csv, 5);
    worlds_.Publish(writer_.Snapshot());
  }
  size_t Stuck() const {
    return std::count_if(stuck_.begin(), stuck_.end(),
                         [this](const kube::Calls& gets) { return faults_.calls(gets) >= 1; });
  }
  void AddRole() {
    cluster_.Run(cluster_.Create(
        kClusterRoles, "",
        R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"ClusterRole","metadata":)"
        R"({"name":"more","labels":{"olm.owner":"widget.v1","olm.owner.namespace":"ops",)"
        R"("olm.owner.kind":"ClusterServiceVersion"}}})"));
  }
  bool IsRoleHeld() {
    return !FinalizersOf(cluster_.Run(cluster_.Find(kClusterRoles, {"", "more"}))).empty();
  }
  // Lets time pass until `seen` returns true.
  bool Until(const std::function<bool()>& seen) {
    const auto give_up = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    for (int i = 0; std::chrono::steady_clock::now() < give_up; ++i) {
      if (seen()) return true;
      // Ten seconds are enough, however long the machine takes for them.
      if (i < 200) cluster_.clock().Advance(absl::Milliseconds(50));
      cluster_.io().restart();
      // The store answers from a thread of its own.
      while (cluster_.io().run_one_for(std::chrono::milliseconds(10)) > 0) {
      }
    }
    return false;
  }

  TestCluster cluster_;
  kube::HookClient faults_{cluster_.client(), cluster_.clock()};
  AlwaysLeader leader_;
  Silence events_;
  SeededRandom random_{1};
  prometheus::Registry registry_;
  const FeatureGates gates_ = FeatureGates({});
  CleanupMetrics metrics_{registry_};
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  MetadataWatches watches_{cluster_.client(), cluster_.clock(), random_,
                           cluster_.io().get_executor()};
  ReconcilerDeps deps_{faults_,          leader_, worlds_,   watches_, events_,
                       cluster_.clock(), random_, registry_, gates_};
  CleanupOptions options_;
  Controller controller_{
      CleanupControllerOptions(),
      [this] { return std::make_unique<CleanupReconciler>(deps_, metrics_, options_); },
      cluster_.io().get_executor(), cluster_.clock(), registry_};
  std::vector<kube::Calls> stuck_;
};

TEST_F(StuckCleanupsTest, DelayNoSweep) {
  AddRole();
  EXPECT_TRUE(Until([this] { return IsRoleHeld(); }));
}

TEST_F(StuckCleanupsTest, DelayNoHolds) {
  Merge(kCsv, R"({"metadata":{"finalizers":[]}})");
  EXPECT_TRUE(Until([this] { return cluster_.Condition("RightsHeld").empty(); }));
  Merge(kCsv, R"({"metadata":{"finalizers":["operatorframework.io/delete-custom-resources"]}})");
  EXPECT_TRUE(Until([this] { return !cluster_.Condition("RightsHeld").empty(); }));
}

TEST_F(StuckCleanupsTest, R_000_42_DelayNoAbort) {
  cluster_.Run(cluster_.AddWidget("a", "x", false));
  Merge(kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
  cluster_.DeleteCsv();
  Publish(kCsv);
  EXPECT_TRUE(Until(
      [this] { return !cluster_.HasFinalizer("operatorframework.io/delete-custom-resources"); }));
  EXPECT_THAT(cluster_.Names(kWidgets), SizeIs(1));
}

// There are more of them than workers of all kinds, and no operator says whether it supports
// cleanup: by these terms they do.
class StuckByDefaultTest : public StuckCleanupsTest {
 protected:
  StuckByDefaultTest()
      : StuckCleanupsTest(
            CleanupControllerOptions().workers + CleanupControllerOptions().quick_workers,
            R"({"labels":{"cleanup":"x"}})", {.supported_by_default = true}) {}
};

TEST_F(StuckByDefaultTest, R_000_20_DelayNoSweep) {
  AddRole();
  EXPECT_TRUE(Until([this] { return IsRoleHeld(); }));
  EXPECT_EQ(Stuck(), CleanupControllerOptions().workers);
}

TEST_F(StuckByDefaultTest, R_000_20_42_DelayNoAbort) {
  Merge(kCsv, R"({"spec":{"cleanup":{"enabled":false}}})");
  cluster_.DeleteCsv();
  Publish(kCsv);
  EXPECT_TRUE(Until(
      [this] { return !cluster_.HasFinalizer("operatorframework.io/delete-custom-resources"); }));
}

TEST(CsvsOfTest, TheWorldsOriginals) {
  storage::WorldStore worlds{storage::kOperatorSources};
  storage::OperatorWriter writer;
  const auto put = [&writer](const std::string& name, const std::string& more) {
    const absl::StatusOr<olm::CsvPtr> csv = olm::DecodeCsv(
        R"({"metadata":{"name":")" + name + R"(","namespace":"ops","uid":"u-)" + name + "\"" +
        more + R"(},"spec":{"customresourcedefinitions":{"owned":[{"name":"a.g.io"}]}}})");
    ASSERT_OK(csv.status());
    writer.Put(*csv, 5);
  };
  put("one", "");
  put("two", "");
  put("copy", R"(,"labels":{"olm.copiedFrom":"x"})");
  worlds.Publish(writer.Snapshot());
  const std::vector<olm::CsvFacts> known = CsvsOf(worlds)({{"ops", "two"}});
  ASSERT_EQ(known.size(), 1u);
  EXPECT_EQ(known[0].key.name, "one");
  EXPECT_THAT(known[0].owned_crds, ElementsAre("a.g.io"));
}

}  // namespace
}  // namespace steward::controllers
