#include "controllers/runtime/manager.h"

#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/stop_signal.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "controllers/runtime/controller.h"
#include "controllers/runtime/election/lease_record.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/peer_gate.h"
#include "controllers/runtime/peer_presence.h"
#include "controllers/runtime/reconciler.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::Calls;
using kube::ClientVerb;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const kube::GroupVersionResource kWidgets = {"g", "v1", "widgets"};
const kube::GroupVersionResource kEvents = {"", "v1", "events"};
const kube::NamespacedName kLease = {"ns", "l"};

// A reconciler that patches a widget, records an event about it, and takes its time.
class WritingReconciler : public Reconciler {
 public:
  WritingReconciler(kube::Client& client, ClusterEvents& events, Clock& clock,
                    std::vector<std::string>& log, absl::Duration takes)
      : client_(client), events_(events), clock_(clock), log_(log), takes_(takes) {
    log_.push_back("made");
  }
  ~WritingReconciler() override { log_.push_back("destroyed"); }

  VoidTask Feed(WorkQueue& queue) override {
    queue.Add({"", "w"});
    co_await clock_.Sleep(absl::Hours(1000));
  }
  Task<ReconcileResult> Reconcile(Key key) override {
    struct Noting {
      std::vector<std::string>& log;
      explicit Noting(std::vector<std::string>& l) : log(l) { log.push_back("begin"); }
      ~Noting() { log.push_back("end"); }
    } noting(log_);
    co_await clock_.Sleep(takes_);
    const boost::json::value patch = {{"spec", 1}};
    const kube::WriteOptions options;
    const absl::Status status =
        (co_await client_.Patch(kWidgets, key, kube::PatchType::kJsonMerge, patch, options))
            .status();
    const ObjectReference about = {{"g", "v1", "Widget"}, key, "u"};
    events_.Record(about, EventType::kNormal, "Written", "w");
    if (!status.ok()) co_return status;
    co_return ReconcileResult::Done();
  }

 private:
  kube::Client& client_;
  ClusterEvents& events_;
  Clock& clock_;
  std::vector<std::string>& log_;
  const absl::Duration takes_;
};

class ManagerTest : public ::testing::Test {
 protected:
  ManagerTest() {
    for (const auto& gvr : {kLeases, kWidgets, kEvents}) cluster_.Serve(gvr);
    cluster_.Put(kWidgets, R"({"metadata":{"name":"w"}})");
  }
  ~ManagerTest() override {
    for (const auto& gvr : {kLeases, kWidgets, kEvents}) network_.ForgetFaults(gvr);
    synced_ = true;
    stop_.Set();
    for (int i = 0; i < 200 && !ended_; ++i) Pass(absl::Seconds(1));
    RunOn(io_, tasks_.Stop());
  }

  static LeaseElectorOptions ElectorOptions() {
    LeaseElectorOptions options;
    options.lease = kLease;
    options.identity = "me";
    return options;
  }
  VoidTask CachesSynced() {
    log_.push_back("waits for caches");
    while (!synced_) co_await clock_.Sleep(absl::Seconds(1));
    log_.push_back("caches synced");
  }
  static VoidTask Run(ManagerTest& test) {
    co_await test.manager_->Run(test.stop_);
    test.ended_ = true;
  }
  void Start(absl::Duration reconcile_takes = absl::ZeroDuration(), bool elect = true) {
    manager_ =
        std::make_unique<Manager>(ManagerDeps{.executor = io_.get_executor(),
                                              .clock = clock_,
                                              .elector = elect ? &elector_ : nullptr,
                                              .client = elect ? fenced_ : alone_,
                                              .events = events_,
                                              .peer_gate = guarded_,
                                              .caches_synced = [this] { return CachesSynced(); }});
    const auto controller = [this, reconcile_takes](const char* name, bool fenced) {
      ControllerOptions options;
      options.name = name;
      return std::make_unique<Controller>(
          options,
          [this, fenced, reconcile_takes] {
            return std::make_unique<WritingReconciler>(fenced ? fenced_ : alone_, events_, clock_,
                                                       log_, reconcile_takes);
          },
          io_.get_executor(), clock_, registry_);
    };
    manager_->Add(controller("c", elect));
    if (with_unelected_) manager_->AddUnelected(controller("unelected", false));
    if (guarded_ != nullptr) {
      auto second = controller("guarded", elect);
      guarded_->Guard(*second, {PeerOperator::kOlmOperator});
      manager_->Add(std::move(second));
    }
    tasks_.Spawn("manager", Run(*this));
    Settle();
  }
  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
  }
  void Pass(absl::Duration time) {
    Settle();
    for (absl::Duration step = absl::Milliseconds(100); time > absl::ZeroDuration(); time -= step) {
      clock_.Advance(std::min(step, time));
      Settle();
    }
  }
  std::string Lease() {
    const auto leases = cluster_.Objects(kLeases);
    return leases.empty() ? "" : leases.begin()->second;
  }
  std::vector<std::string> Log() { return std::exchange(log_, {}); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  prometheus::Registry registry_;
  kube::FakeClient cluster_;
  kube::HookClient network_{cluster_, clock_};
  LeaseElector elector_{network_, clock_, random_, ElectorOptions(), registry_};
  FencedClient fenced_{network_, network_, elector_.leadership(), clock_};
  AlwaysLeader always_;
  FencedClient alone_{network_, network_, always_, clock_};
  ClusterEvents events_{network_, clock_, random_, {}, registry_};
  StopSignal stop_;
  std::vector<std::string> log_;
  bool synced_ = true;
  bool ended_ = false;
  PeerGate* guarded_ = nullptr;
  bool with_unelected_ = false;
  std::unique_ptr<Manager> manager_;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(ManagerTest, CachesThenLeadershipThenControllers) {
  synced_ = false;
  network_.Hold({ClientVerb::kCreate, kLeases});
  Start();
  Pass(absl::Minutes(1));
  EXPECT_THAT(Log(), ElementsAre("waits for caches"));
  EXPECT_EQ(Lease(), "") << "who cannot work does not lead";
  synced_ = true;
  Pass(absl::Seconds(1));
  EXPECT_THAT(Log(), ElementsAre("caches synced"));
  EXPECT_FALSE(manager_->leading());
  network_.Release({ClientVerb::kCreate, kLeases});
  Pass(absl::Seconds(1));
  EXPECT_THAT(Log(), ElementsAre("made", "begin", "end"));
  EXPECT_TRUE(manager_->leading());
}

// A controller without election runs before this process leads, and after it has ceased to.
TEST_F(ManagerTest, UnelectedControllersRunAtAllTimes) {
  with_unelected_ = true;
  synced_ = false;
  network_.Hold({ClientVerb::kCreate, kLeases});
  Start();
  EXPECT_THAT(Log(), ElementsAre("waits for caches"));
  synced_ = true;
  Pass(absl::Seconds(1));
  EXPECT_THAT(Log(), ElementsAre("caches synced", "made", "begin", "end"));
  EXPECT_FALSE(manager_->leading());
  network_.Release({ClientVerb::kCreate, kLeases});
  Pass(absl::Seconds(1));
  EXPECT_THAT(Log(), ElementsAre("made", "begin", "end"));
  network_.FailNext({ClientVerb::kUpdate, kLeases}, absl::UnavailableError("away"), 1000);
  Pass(absl::Seconds(20));
  EXPECT_FALSE(manager_->leading());
  EXPECT_THAT(Log(), ElementsAre("destroyed")) << "the one that is elected";
  network_.ForgetFaults(kLeases);
  stop_.Set();
  Pass(absl::Seconds(20));
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Log(), ElementsAre("destroyed"));
}

TEST_F(ManagerTest, StopsInOrderAndReleasesLast) {
  Start(absl::Seconds(5));
  EXPECT_THAT(Log(), ElementsAre("waits for caches", "caches synced", "made", "begin"));
  stop_.Set();
  Pass(absl::Seconds(4));
  EXPECT_THAT(Lease(), HasSubstr(R"("holderIdentity":"me")")) << "still renewed";
  EXPECT_TRUE(elector_.leadership().IsLive());
  EXPECT_FALSE(ended_);
  // The write and the event get through before the Lease is released.
  network_.Hold({ClientVerb::kCreate, kEvents});
  Pass(absl::Seconds(1));
  EXPECT_THAT(Log(), ElementsAre("end", "destroyed"));
  EXPECT_THAT(cluster_.Objects(kWidgets).begin()->second, HasSubstr("spec"));
  EXPECT_THAT(Lease(), HasSubstr(R"("holderIdentity":"me")"));
  network_.Release({ClientVerb::kCreate, kEvents});
  Settle();
  EXPECT_TRUE(ended_);
  EXPECT_EQ(cluster_.Objects(kEvents).size(), 1u);
  EXPECT_THAT(Lease(), HasSubstr(R"("holderIdentity":"")"));
}

TEST_F(ManagerTest, AReconcileThatTakesTooLongIsCancelled) {
  Start(absl::Hours(1));
  stop_.Set();
  Pass(absl::Seconds(9));
  EXPECT_FALSE(ended_);
  Pass(absl::Seconds(1));
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Lease(), HasSubstr(R"("holderIdentity":"")")) << "it was not writing";
}

TEST_F(ManagerTest, WhileAWriteMayBeOnItsWayTheLeaseRunsOut) {
  network_.Hold({ClientVerb::kPatch, kWidgets});
  Start();
  stop_.Set();
  Pass(absl::Seconds(10));
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Lease(), HasSubstr(R"("holderIdentity":"me")"));
}

TEST_F(ManagerTest, LostLeadershipEndsControllersAndCampaignsAgain) {
  Start(absl::Seconds(30));
  Log();
  const Calls renewals = {ClientVerb::kUpdate, kLeases};
  network_.Hold(renewals);
  Pass(absl::Seconds(9));
  EXPECT_THAT(Log(), IsEmpty());
  Pass(absl::Seconds(1));
  EXPECT_THAT(Log(), ElementsAre("end", "destroyed"));
  EXPECT_FALSE(manager_->leading());
  EXPECT_THAT(cluster_.Objects(kWidgets).begin()->second, Not(HasSubstr("spec")));
  network_.Release(renewals);
  Pass(absl::Seconds(10));
  EXPECT_THAT(Log(), ElementsAre("made", "begin"));
  EXPECT_TRUE(manager_->leading());
}

TEST_F(ManagerTest, StoppedWhileItCampaignsItJustEnds) {
  cluster_.Put(kLeases, R"({"metadata":{"namespace":"ns","name":"l"},)"
                        R"("spec":{"holderIdentity":"you","leaseDurationSeconds":3600}})");
  Start();
  Pass(absl::Seconds(30));
  stop_.Set();
  Settle();
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Lease(), HasSubstr(R"("holderIdentity":"you")"));
  EXPECT_THAT(Log(), ElementsAre("waits for caches", "caches synced"));
}

TEST_F(ManagerTest, StoppedBeforeTheCachesSyncedItJustEnds) {
  synced_ = false;
  Start();
  stop_.Set();
  Settle();
  EXPECT_TRUE(ended_);
  EXPECT_EQ(Lease(), "");
}

// A guarded controller runs beside one that runs in any case.
TEST_F(ManagerTest, WhatOlmDoesWaitsAtItsGateWithinATerm) {
  cluster_.Serve(kube::kDeployments);
  PeerGate gate(network_, clock_, io_.get_executor(), registry_);
  guarded_ = &gate;
  const Calls looks = {ClientVerb::kList, kube::kDeployments};
  network_.Hold(looks);
  Start();
  EXPECT_THAT(Log(), ElementsAre("waits for caches", "caches synced", "made", "begin", "end"));
  network_.Release(looks);
  Settle();
  EXPECT_THAT(Log(), ElementsAre("made", "begin", "end")) << "no OLM is here";
  network_.Hold({ClientVerb::kUpdate, kLeases});
  Pass(absl::Seconds(10));
  EXPECT_THAT(Log(), ElementsAre("destroyed", "destroyed"));
  const int looked = network_.calls(looks);
  Pass(absl::Minutes(5));
  EXPECT_EQ(network_.calls(looks), looked) << "nobody leads";
  network_.Hold(looks);
  network_.Release({ClientVerb::kUpdate, kLeases});
  Pass(absl::Seconds(20));
  EXPECT_THAT(Log(), ElementsAre("made", "begin", "end")) << "the other one waits to be known";
  stop_.Set();
  Settle();
  EXPECT_TRUE(ended_) << "in the middle of a look";
  network_.ForgetFaults(kube::kDeployments);
}

TEST_F(ManagerTest, WithoutElectionItLeadsAtOnce) {
  Start(absl::ZeroDuration(), /*elect=*/false);
  EXPECT_TRUE(manager_->leading());
  EXPECT_THAT(Log(), ElementsAre("waits for caches", "caches synced", "made", "begin", "end"));
  EXPECT_EQ(Lease(), "");
  stop_.Set();
  Settle();
  EXPECT_TRUE(ended_);
  EXPECT_THAT(Log(), ElementsAre("destroyed"));
}

}  // namespace
}  // namespace steward::controllers
