#include "controllers/runtime/election/lease_elector.h"

#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "controllers/runtime/election/lease_record.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/fault_script.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

using kube::Calls;
using kube::ClientVerb;
using ::testing::HasSubstr;

const kube::NamespacedName kName = {"steward-system", "l"};
const Calls kGet = {ClientVerb::kGet, kLeases};
const Calls kUpdate = {ClientVerb::kUpdate, kLeases};
const Calls kCreate = {ClientVerb::kCreate, kLeases};

LeaseElectorOptions OptionsFor(const std::string& identity) {
  LeaseElectorOptions options;
  options.lease = kName;
  options.identity = identity;
  return options;
}

// One process that campaigns, with a network of its own.
struct Process {
  Process(const std::string& identity, kube::FakeClient& cluster, FakeClock& clock,
          boost::asio::io_context& io)
      : network(cluster, clock),
        elector(network, clock, random, OptionsFor(identity), registry),
        tasks(io.get_executor()) {}

  bool live() const { return elector.leadership().IsLive(); }
  static VoidTask Campaign(Process& self) {
    while (true) {
      co_await self.elector.Acquire();
      ++self.terms;
      co_await self.elector.Renew();
      ++self.losses;
    }
  }
  void Start() { campaign = tasks.Spawn("campaign", Campaign(*this)); }
  std::string Metrics() { return prometheus::TextSerializer().Serialize(registry.Collect()); }

  FixedRandom random{0.5};
  prometheus::Registry registry;
  kube::HookClient network;
  LeaseElector elector;
  TaskGroup tasks;
  TaskGroup::Ref campaign;
  int terms = 0;
  int losses = 0;
};

class LeaseElectorTest : public ::testing::Test {
 protected:
  LeaseElectorTest() { cluster_.Serve(kLeases); }
  ~LeaseElectorTest() override {
    for (Process* process : {&a_, &b_}) {
      process->network.ForgetFaults(kLeases);
      RunOn(io_, process->tasks.Stop());
    }
  }

  void Settle() {
    io_.restart();
    while (io_.poll() > 0) {
    }
    EXPECT_FALSE(a_.live() && b_.live()) << "two leaders";
  }
  // Advances in steps so small that no timer is skipped.
  void Pass(absl::Duration time) {
    Settle();
    for (absl::Duration step = absl::Milliseconds(100); time > absl::ZeroDuration(); time -= step) {
      clock_.Advance(std::min(step, time));
      Settle();
    }
  }
  absl::Duration PassUntil(const std::function<bool()>& done) {
    const absl::Duration began = clock_.Monotonic();
    for (int i = 0; i < 1000 && !done(); ++i) Pass(absl::Milliseconds(100));
    EXPECT_TRUE(done());
    return clock_.Monotonic() - began;
  }
  boost::json::value Lease() { return *ParseJson(cluster_.Objects(kLeases).at(kName)); }
  LeaseRecord Record() { return ReadLease(Lease()); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  kube::FakeClient cluster_;
  Process a_{"a", cluster_, clock_, io_};
  Process b_{"b", cluster_, clock_, io_};
};

TEST_F(LeaseElectorTest, TheFirstOneMakesTheLeaseAndKeepsIt) {
  a_.Start();
  Settle();
  EXPECT_TRUE(a_.live());
  EXPECT_EQ(Record().holder, "a");
  EXPECT_EQ(Record().duration_seconds, 15);
  EXPECT_EQ(Record().transitions, 0);
  b_.Start();
  Pass(absl::Minutes(5));
  EXPECT_TRUE(a_.live());
  EXPECT_EQ(a_.terms, 1);
  EXPECT_EQ(b_.terms, 0);
  EXPECT_EQ(a_.network.calls(kGet), 1) << "renewed without being read";
  EXPECT_EQ(a_.network.calls(kUpdate), 150) << "each two seconds";
  EXPECT_THAT(a_.Metrics(), HasSubstr(R"(leader_election_master_status{name="l"} 1)"));
  EXPECT_THAT(b_.Metrics(), HasSubstr(R"(leader_election_master_status{name="l"} 0)"));
}

TEST_F(LeaseElectorTest, OfTwoThatBeginAtOnceOneWins) {
  a_.Start();
  b_.Start();
  Pass(absl::Minutes(1));
  EXPECT_EQ(a_.terms + b_.terms, 1);
}

TEST_F(LeaseElectorTest, ADeadLeaderIsFollowedOnceItsLeaseRanOutHere) {
  a_.Start();
  Settle();
  b_.Start();
  Pass(absl::Seconds(20));
  a_.campaign.Cancel();
  Settle();
  const absl::Duration took = PassUntil([this] { return b_.live(); });
  // The time counts from its last renewal, at most a retry period ago; b looks each 3.2 s.
  EXPECT_GE(took, absl::Seconds(13));
  EXPECT_LE(took, absl::Seconds(20));
  EXPECT_EQ(Record().holder, "b");
  EXPECT_EQ(Record().transitions, 1);
}

TEST_F(LeaseElectorTest, AReleasedLeaseIsTakenAtTheNextLook) {
  a_.Start();
  Settle();
  b_.Start();
  Pass(absl::Seconds(4));
  a_.campaign.Cancel();
  RunOn(io_, a_.elector.Release());
  EXPECT_FALSE(a_.live());
  EXPECT_EQ(Record().holder, "");
  EXPECT_LE(PassUntil([this] { return b_.live(); }), absl::Seconds(4));
  EXPECT_THAT(a_.Metrics(), HasSubstr(R"(leader_election_master_status{name="l"} 0)"));
}

TEST_F(LeaseElectorTest, ReleaseOfWhatIsNotHeldTouchesNothing) {
  a_.Start();
  Settle();
  const LeaseRecord before = Record();
  RunOn(io_, b_.elector.Release());
  EXPECT_EQ(b_.network.calls(kGet), 0);
  EXPECT_EQ(Record(), before);
}

TEST_F(LeaseElectorTest, LeadershipEndsBeforeASlowServerAnswers) {
  a_.Start();
  Settle();
  b_.Start();
  a_.network.Hold(kUpdate);
  a_.network.Hold(kGet);
  // The last renewal began at the start.
  Pass(absl::Seconds(10) - absl::Milliseconds(100));
  EXPECT_TRUE(a_.live());
  Pass(absl::Milliseconds(100));
  EXPECT_FALSE(a_.live());
  EXPECT_FALSE(b_.live()) << "there is a margin";
  EXPECT_EQ(a_.losses, 1);
  PassUntil([this] { return b_.live(); });
  a_.network.Release(kUpdate);
  a_.network.Release(kGet);
  Pass(absl::Minutes(1));
  EXPECT_TRUE(b_.live());
  EXPECT_EQ(a_.terms, 1);
}

TEST_F(LeaseElectorTest, LeadershipCountsFromTheBeginningOfARenewal) {
  a_.Start();
  Settle();
  // The renewal at 2 s is answered at 6 s, the next one, at 8 s, never.
  a_.network.DelayNext(kUpdate, absl::Seconds(4));
  Pass(absl::Seconds(7));
  a_.network.Hold(kUpdate);
  Pass(absl::Seconds(5) - absl::Milliseconds(100));
  EXPECT_TRUE(a_.live());
  Pass(absl::Milliseconds(100));
  EXPECT_FALSE(a_.live()) << "ten seconds after it began, not after its answer";
}

TEST_F(LeaseElectorTest, LostAnswersOfRenewalsDoNotProlong) {
  a_.Start();
  Settle();
  a_.network.LoseNext(kUpdate, 1000);
  Pass(absl::Seconds(2));
  const std::string renewed = Record().renew_time;
  EXPECT_NE(renewed, Record().acquire_time) << "the renewal did happen";
  // The next renewals conflict, read, and lose their answers again.
  Pass(absl::Seconds(8));
  EXPECT_FALSE(a_.live());
}

TEST_F(LeaseElectorTest, OneLostAnswerIsMadeGoodByTheNextRenewal) {
  a_.Start();
  Settle();
  b_.Start();
  a_.network.LoseNext(kUpdate, 1);
  Pass(absl::Minutes(1));
  EXPECT_EQ(a_.losses, 0);
  EXPECT_EQ(a_.terms, 1);
  EXPECT_THAT(a_.Metrics(), HasSubstr(R"(leader_election_slowpath_total{name="l"} 1)"));
}

TEST_F(LeaseElectorTest, ErrorsAreOutlasted) {
  const std::pair<const char*, absl::Status> rows[] = {
      {"500", kube::ToStatus(kube::InternalError("x"))},
      {"429", kube::ToStatus(kube::TooManyRequests("x", 1))},
      {"504", kube::ToStatus(kube::Timeout("x", 1))},
      {"403", kube::ToStatus(kube::Forbidden(kLeases, "l", "x"))},
      {"reset", absl::UnavailableError("x")},
      {"409", kube::ToStatus(kube::Conflict(kLeases, "l", "x"))},
  };
  a_.Start();
  Settle();
  b_.Start();
  for (const auto& [what, error] : rows) {
    a_.network.FailNext(kUpdate, error, 3);
    Pass(absl::Seconds(30));
    EXPECT_TRUE(a_.live()) << what;
    EXPECT_EQ(a_.terms, 1) << what;
  }
}

TEST_F(LeaseElectorTest, AHolderThatFindsAnotherNameIsDeposedAtOnce) {
  a_.Start();
  Pass(absl::Seconds(1));
  for (const char* holder : {"somebody", ""}) {
    boost::json::value lease = Lease();
    LeaseRecord record = Record();
    record.holder = holder;
    WriteLease(record, lease);
    const int losses = a_.losses;
    cluster_.Put(kLeases, Serialize(lease));
    PassUntil([&] { return a_.losses > losses; });
    PassUntil([this] { return a_.live(); });
  }
  EXPECT_EQ(a_.terms, 3);
}

TEST_F(LeaseElectorTest, ADeletedLeaseIsMadeAgainByItsHolder) {
  a_.Start();
  Settle();
  b_.Start();
  Pass(absl::Seconds(5));
  cluster_.Delete(kLeases, kName);
  Pass(absl::Seconds(30));
  EXPECT_TRUE(a_.live());
  EXPECT_EQ(a_.terms, 1);
  EXPECT_EQ(b_.terms, 0);
}

TEST_F(LeaseElectorTest, ADeletedLeaseIsNoProofThatItsHolderKnows) {
  a_.Start();
  Settle();
  b_.Start();
  Pass(absl::Seconds(5));
  // The holder cannot reach the cluster.
  a_.network.Hold(kUpdate);
  a_.network.Hold(kCreate);
  cluster_.Delete(kLeases, kName);
  const absl::Duration took = PassUntil([this] { return b_.live(); });
  EXPECT_GE(took, absl::Seconds(10));
  EXPECT_FALSE(a_.live());
}

TEST_F(LeaseElectorTest, NobodysWallClockMatters) {
  a_.Start();
  Settle();
  b_.Start();
  for (const int seconds : {3600, -7200, 100, -2, -2, -2, 2}) {
    clock_.SetBy(absl::Seconds(seconds));
    Pass(absl::Seconds(10));
    EXPECT_TRUE(a_.live());
  }
  // These renewals would have exactly the same time.
  for (int i = 0; i < 20; ++i) {
    Pass(absl::Seconds(2));
    clock_.SetBy(-absl::Seconds(2));
  }
  EXPECT_EQ(a_.terms, 1);
  EXPECT_EQ(b_.terms, 0);
}

TEST_F(LeaseElectorTest, TheHoldersOwnLeaseDurationCounts) {
  cluster_.Put(kLeases, Serialize(NewLease(kName, {"x", 60, "t1", "t2", 7})));
  a_.Start();
  EXPECT_GE(PassUntil([this] { return a_.live(); }), absl::Seconds(60));
  EXPECT_EQ(Record().transitions, 8);
}

TEST_F(LeaseElectorTest, OddLeases) {
  const std::pair<const char*, const char*> rows[] = {
      {"no spec", "{}"},
      {"spec of another type", R"({"spec":[]})"},
      {"a holder without a duration", R"({"spec":{"holderIdentity":"x"}})"},
  };
  for (const auto& [what, text] : rows) {
    boost::json::value lease = *ParseJson(text);
    lease.as_object()["metadata"] = {{"name", kName.name}, {"namespace", kName.ns}};
    cluster_.Put(kLeases, Serialize(lease));
    a_.Start();
    EXPECT_LE(PassUntil([this] { return a_.live(); }), absl::Seconds(20)) << what;
    a_.campaign.Cancel();
    RunOn(io_, a_.elector.Release());
  }
}

TEST_F(LeaseElectorTest, ReleaseThatFailsIsBounded) {
  a_.Start();
  Settle();
  a_.campaign.Cancel();
  a_.network.Hold(kUpdate);
  bool released = false;
  a_.tasks.Spawn("release", [](Process& a, bool& done) -> VoidTask {
    co_await a.elector.Release();
    done = true;
  }(a_, released));
  Settle();
  EXPECT_FALSE(a_.live()) << "before anything is written";
  EXPECT_FALSE(released);
  Pass(absl::Seconds(5));
  EXPECT_TRUE(released);
}

TEST_F(LeaseElectorTest, ALeaseOfSomebodyElseIsNotReleased) {
  a_.Start();
  Settle();
  a_.campaign.Cancel();
  cluster_.Put(kLeases, Serialize(NewLease(kName, {"x", 60, "t1", "t2", 7})));
  RunOn(io_, a_.elector.Release());
  EXPECT_EQ(Record().holder, "x");
}

TEST(LeaseElectorOptionsTest, Checked) {
  const struct {
    int duration_ms, deadline_ms, period_ms;
    const char* problem;
  } rows[] = {
      {15000, 10000, 2000, ""},
      {2000, 1500, 500, ""},
      {1500, 1000, 100, "whole seconds"},
      {0, 10, 1, "whole seconds"},
      {15000, 15000, 2000, "renew deadline"},
      {15000, 2400, 2000, "retry period"},
      {15000, 10000, 0, "longer than zero"},
  };
  for (const auto& row : rows) {
    LeaseElectorOptions options = OptionsFor("x");
    options.lease_duration = absl::Milliseconds(row.duration_ms);
    options.renew_deadline = absl::Milliseconds(row.deadline_ms);
    options.retry_period = absl::Milliseconds(row.period_ms);
    const absl::Status status = CheckLeaseElectorOptions(options);
    if (std::string(row.problem).empty()) {
      EXPECT_OK(status);
    } else {
      EXPECT_THAT(status, StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(row.problem)));
    }
  }
}

TEST(LeaseElectorOptionsTest, IdentitiesDiffer) {
  const std::string one = NewElectionIdentity(Random::Real());
  EXPECT_THAT(one, HasSubstr("_"));
  EXPECT_NE(one, NewElectionIdentity(Random::Real()));
}

}  // namespace
}  // namespace steward::controllers
