#include "controllers/apiservice_guard/apiservice_guard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/flags/feature_gates.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/metadata/metadata_watch.h"
#include "controllers/runtime/testing/test_leadership.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "storage/operators/operator_world.h"
#include "storage/world/world_store.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const kube::GroupVersionResource kServices = {"", "v1", "services"};
const kube::NamespacedName kApi = {"", std::string(kGuardedApiService)};
const kube::NamespacedName kRecord = {"steward-system", "steward-apiservice-guard"};

class TestEvents : public EventRecorder {
 public:
  void Record(const ObjectReference&, EventType, std::string_view reason,
              std::string_view) override {
    reasons.push_back(std::string(reason));
  }
  std::vector<std::string> reasons;
};

class TestDialer : public ReplicaDialer {
 public:
  Task<ReplicaAnswer> Dial(const ReplicaAddress& address, const ServiceTarget& target) override {
    dialed.push_back(
        StrCat(address.host, ":", address.port, " ", target.ServerName(), " ", target.ca_pem));
    co_return answer;
  }
  ReplicaAnswer answer = ReplicaAnswer::kTrusted;
  std::vector<std::string> dialed;
};

// A cluster whose clock is not this machine's.
class TimedClient : public kube::HookClient {
 public:
  TimedClient(kube::Client& inner, kube::Hook& hook, const Clock& clock, const absl::Duration& skew)
      : HookClient(inner, hook), clock_(clock), skew_(skew) {}
  Task<absl::Time> ServerTime() override { co_return clock_.Now() + skew_; }

 private:
  const Clock& clock_;
  const absl::Duration& skew_;
};

class ApiServiceGuardTest : public ::testing::Test {
 protected:
  ApiServiceGuardTest() {
    for (const auto& gvr : {kube::kApiServices, kube::kConfigMaps, kServices, kube::kEndpointSlices,
                            kClusterRoles, kube::kNamespaces}) {
      cluster_.Serve(gvr);
    }
    cluster_.Put(kClusterRoles, R"({"metadata":{"name":"steward-apiservice-guard","uid":"role"}})");
    cluster_.Put(kube::kNamespaces, R"({"metadata":{"name":"steward-system","uid":"ns"}})");
    terms_.wanted.ns = "steward-system";
    cluster_.Put(kServices,
                 R"({"metadata":{"name":"steward-apiserver","namespace":"steward-system"},
        "spec":{"ports":[{"name":"metrics","port":80},{"name":"https","port":443}]}})");
    cluster_.Put(kube::kEndpointSlices, R"({"metadata":{"name":"a","namespace":"steward-system",
        "labels":{"kubernetes.io/service-name":"steward-apiserver"}},
        "ports":[{"name":"https","port":8443}],
        "endpoints":[{"addresses":["10.0.0.1"],"conditions":{"ready":false}},
                     {"addresses":["10.0.0.2"],"conditions":{"ready":true}}]})");
    PutApi("True");
    hook_.process = &io_;
    hook_.decide = [this](const kube::HookedCall& call) {
      if (call.writes())
        writes_.push_back(StrCat(kube::VerbText(call.verb), " ", call.gvr.resource));
      return kube::HookedFate();
    };
  }
  ~ApiServiceGuardTest() override { RunOn(io_, watches_.Stop()); }

  // The APIService with this condition since now, and of this uid.
  void PutApi(const std::string& available, const std::string& uid = "first",
              const std::string& owners = R"([{"apiVersion":"rbac.authorization.k8s.io/v1",
                  "kind":"ClusterRole","name":"steward-apiservice-guard","uid":"role"}])") {
    cluster_.Put(
        kube::kApiServices,
        StrCat(R"({"metadata":{"name":")", kApi.name, R"(","uid":")", uid,
               R"(","ownerReferences":)", owners,
               R"(,"labels":{"a":"b"},"annotations":{"c":"d"}},
               "spec":{"group":"views.operators.coreos.com","groupPriorityMinimum":1234,
               "caBundle":"cm9vdA==","service":{"name":"steward-apiserver",
               "namespace":"steward-system","port":443}},
               "status":{"conditions":[{"type":"Available","reason":"Why","message":"so","status":")",
               available, R"(","lastTransitionTime":")",
               absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", clock_.Now() + skew_, absl::UTCTimeZone()),
               R"("}]}})"));
  }
  bool Registered() { return cluster_.Objects(kube::kApiServices).contains(kApi); }
  json::value Api() { return json::parse(cluster_.Objects(kube::kApiServices).at(kApi)); }
  // A value of the record; "" = there is no record.
  std::string Recorded(const char* key = "phase") {
    const auto maps = cluster_.Objects(kube::kConfigMaps);
    const auto found = maps.find(kRecord);
    if (found == maps.end()) return "";
    return json::parse(found->second).at("data").at(key).as_string().c_str();
  }
  // Makes a new guard, as another process would.
  void NextTerm() {
    guard_ = std::make_unique<ApiServiceGuard>(
        ReconcilerDeps{client_, leadership_, worlds_, watches_, events_, clock_, random_, registry_,
                       gates_},
        metrics_, dialer_, terms_);
  }
  absl::StatusOr<ReconcileResult> Look() {
    if (guard_ == nullptr) NextTerm();
    return RunOn(io_, guard_->Reconcile({"", kApi.name}));
  }
  // Looks every five seconds for so long, and then once more.
  void LookFor(absl::Duration time) {
    for (absl::Duration passed; passed < time; passed += absl::Seconds(5)) {
      ASSERT_OK(Look());
      clock_.Advance(absl::Seconds(5));
    }
    ASSERT_OK(Look());
  }
  // Until the guard has withdrawn it, with every replica dead.
  void Withdrawn() {
    PutApi("False");
    dialer_.answer = ReplicaAnswer::kSilent;
    LookFor(absl::Seconds(105));
    ASSERT_FALSE(Registered());
    ASSERT_EQ(Recorded(), "Withdrawn");
  }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  FixedRandom random_{0};
  kube::FakeClient cluster_;
  kube::Hook hook_;
  absl::Duration skew_;  // of the cluster's clock
  TimedClient client_{cluster_, hook_, clock_, skew_};
  prometheus::Registry registry_;
  storage::WorldStore worlds_{storage::kOperatorSources};
  MetadataWatches watches_{client_, clock_, random_, io_.get_executor()};
  TestLeadership leadership_;
  TestEvents events_;
  FeatureGates gates_ = FeatureGates({});
  GuardMetrics metrics_{registry_};
  TestDialer dialer_;
  GuardTerms terms_;
  std::unique_ptr<ApiServiceGuard> guard_;
  std::vector<std::string> writes_;
};

TEST_F(ApiServiceGuardTest, WritesNothingWhileAllIsWell) {
  ASSERT_OK_AND_ASSIGN(const ReconcileResult result, Look());
  EXPECT_EQ(result.requeue_after, absl::Seconds(5));
  LookFor(absl::Minutes(10));
  EXPECT_THAT(writes_, IsEmpty());
  EXPECT_THAT(dialer_.dialed, Contains("10.0.0.2:8443 steward-apiserver.steward-system.svc root"));
  EXPECT_THAT(dialer_.dialed, Not(Contains(HasSubstr("10.0.0.1"))));
}

TEST_F(ApiServiceGuardTest, WithdrawsAfterTheGracePeriodAndRestoresTheSame) {
  const json::value before = WithoutOrigin(Api());
  PutApi("False");
  dialer_.answer = ReplicaAnswer::kSilent;
  LookFor(absl::Seconds(100));
  EXPECT_TRUE(Registered());
  EXPECT_THAT(writes_, IsEmpty());
  LookFor(absl::Seconds(5));
  EXPECT_FALSE(Registered());
  EXPECT_THAT(writes_, ElementsAre("create configmaps", "delete apiservices", "update configmaps"));
  EXPECT_EQ(metrics_.withdrawn.Value(), 1);
  EXPECT_EQ(metrics_.withdrawals.Value(), 1);
  NextTerm();
  LookFor(absl::Hours(5));
  EXPECT_FALSE(Registered()) << "nobody answers";
  dialer_.answer = ReplicaAnswer::kTrusted;
  ASSERT_OK(Look());
  ASSERT_TRUE(Registered());
  EXPECT_EQ(WithoutOrigin(Api()), before);
  EXPECT_EQ(metrics_.withdrawn.Value(), 0);
  EXPECT_THAT(events_.reasons, ElementsAre("Withdrawn", "Restored"));
  PutApi("True", Recorded("uid"));
  LookFor(absl::Minutes(9));
  EXPECT_EQ(Recorded(), "Restored");
  LookFor(absl::Minutes(1));
  EXPECT_EQ(Recorded(), "");
}

TEST_F(ApiServiceGuardTest, CountsFromWhenNobodyAnswered) {
  dialer_.answer = ReplicaAnswer::kSilent;
  LookFor(absl::Seconds(20));
  PutApi("False");
  LookFor(absl::Seconds(80));
  EXPECT_TRUE(Registered());
  LookFor(absl::Seconds(5));
  EXPECT_FALSE(Registered());
}

TEST_F(ApiServiceGuardTest, ItsOwnProbeNeverWithdraws) {
  dialer_.answer = ReplicaAnswer::kSilent;
  LookFor(absl::Hours(1));
  EXPECT_TRUE(Registered()) << "the kube-apiserver finds it available";
  PutApi("Unknown");
  LookFor(absl::Hours(1));
  EXPECT_TRUE(Registered());
  PutApi("False");
  LookFor(absl::Seconds(70));
  EXPECT_TRUE(Registered()) << "no more than half a minute counts from before";
}

TEST_F(ApiServiceGuardTest, AConditionFromBeforeARestartIsNotEnough) {
  PutApi("False");
  clock_.Advance(absl::Hours(1));
  ASSERT_OK(Look());
  ASSERT_OK(Look());
  PutApi("True");
  LookFor(absl::Minutes(1));
  EXPECT_THAT(writes_, IsEmpty());
}

TEST_F(ApiServiceGuardTest, WithdrawsWhatTheKubeApiserverCannotReachThoughReplicasAnswer) {
  PutApi("False");
  LookFor(absl::Minutes(20));
  EXPECT_FALSE(Registered());
  LookFor(absl::Minutes(2));
  EXPECT_TRUE(Registered());
}

// A replica that answers the guard, and not the kube-apiserver.
TEST_F(ApiServiceGuardTest, NeverFlaps) {
  PutApi("False");
  LookFor(absl::Seconds(105));
  ASSERT_FALSE(Registered());
  // Each time it fails again, twice as long.
  for (const int minutes : {20, 40, 80, 160, 320, 360, 360}) {
    LookFor(absl::Minutes(minutes) - absl::Seconds(15));
    EXPECT_FALSE(Registered()) << minutes;
    NextTerm();
    LookFor(absl::Seconds(15));
    EXPECT_TRUE(Registered()) << minutes;
    PutApi("False", Recorded("uid"));
    LookFor(absl::Seconds(105));
    ASSERT_FALSE(Registered());
  }
}

// Nodes that are replaced one after the other, say.
TEST_F(ApiServiceGuardTest, WhatWasAwayIsRestoredAtOnceHoweverOften) {
  for (int i = 0; i < 3; ++i) {
    PutApi("False", i == 0 ? "first" : Recorded("uid"));
    dialer_.answer = ReplicaAnswer::kSilent;
    LookFor(absl::Seconds(105));
    ASSERT_FALSE(Registered());
    dialer_.answer = ReplicaAnswer::kTrusted;
    ASSERT_OK(Look());
    ASSERT_TRUE(Registered());
  }
}

// Some tools replace an APIService by force.
TEST_F(ApiServiceGuardTest, WhatIsMadeAnewAgainAndAgainIsDueAllTheSame) {
  dialer_.answer = ReplicaAnswer::kSilent;
  for (int i = 0; i < 25; ++i) {
    if (i % 2 == 0 && Registered()) cluster_.Delete(kube::kApiServices, kApi);
    PutApi(i % 2 == 0 ? "Unknown" : "False", StrCat("theirs ", i / 2), "[]");
    ASSERT_OK(Look());
    clock_.Advance(absl::Seconds(5));
  }
  EXPECT_FALSE(Registered());
  EXPECT_EQ(Recorded(), "Withdrawn");
}

TEST_F(ApiServiceGuardTest, WhatTheFlagsSayNowIsRestored) {
  Withdrawn();
  json::value map = json::parse(cluster_.Objects(kube::kConfigMaps).at(kRecord));
  json::value recorded = json::parse(map.at("data").at("apiservice.json").as_string());
  recorded.at("spec").at("service").as_object()["port"] = 444;
  map.at("data").as_object()["apiservice.json"] = Serialize(recorded);
  cluster_.Put(kube::kConfigMaps, Serialize(map));
  terms_.wanted.annotations["inject"] = "me";
  NextTerm();
  dialer_.answer = ReplicaAnswer::kTrusted;
  ASSERT_OK(Look());
  ASSERT_TRUE(Registered());
  EXPECT_EQ(Api().at("spec").at("service").at("port"), 443);
  EXPECT_EQ(Api().at("metadata").at("annotations"), json::parse(R"({"c":"d","inject":"me"})"));
}

TEST_F(ApiServiceGuardTest, WhatMayNotBeAdoptedIsGuarded) {
  PutApi("False", "theirs", "[]");
  dialer_.answer = ReplicaAnswer::kSilent;
  const auto decide = hook_.decide;
  hook_.decide = [&](const kube::HookedCall& call) {
    kube::HookedFate fate = decide(call);
    if (call.verb == kube::ClientVerb::kPatch) {
      fate.error = kube::ToStatus(kube::Forbidden(kube::kApiServices, kApi.name, "no"));
    }
    return fate;
  };
  LookFor(absl::Seconds(105));
  EXPECT_FALSE(Registered());
  EXPECT_THAT(events_.reasons, ElementsAre("NotAdopted", "Withdrawn"));
}

// With the clock of the guard before and behind the kube-apiserver's.
TEST_F(ApiServiceGuardTest, AnothersClockCounts) {
  for (const absl::Duration skew : {absl::Minutes(-5), absl::Minutes(5)}) {
    SCOPED_TRACE(skew);
    skew_ = skew;
    PutApi("False");
    dialer_.answer = ReplicaAnswer::kSilent;
    NextTerm();
    LookFor(absl::Seconds(100));
    EXPECT_TRUE(Registered());
    LookFor(absl::Seconds(5));
    EXPECT_FALSE(Registered());
    cluster_.Delete(kube::kConfigMaps, kRecord);
  }
}

TEST_F(ApiServiceGuardTest, ACertificateThatNobodyTrustsIsNotRegistered) {
  Withdrawn();
  dialer_.answer = ReplicaAnswer::kUntrusted;
  LookFor(absl::Hours(1));
  EXPECT_FALSE(Registered());
  EXPECT_THAT(events_.reasons, ElementsAre("Withdrawn", "NotTrusted"));
}

TEST_F(ApiServiceGuardTest, RegistersWhatAnswersWithAProvenCertificate) {
  cluster_.Delete(kube::kApiServices, kApi);
  terms_.wanted.annotations["inject"] = "me";
  terms_.wanted.port = 444;
  cluster_.Put(kServices,
               R"({"metadata":{"name":"steward-apiserver","namespace":"steward-system"},
      "spec":{"ports":[{"name":"metrics","port":443},{"name":"https","port":444}]}})");
  for (const ReplicaAnswer answer : {ReplicaAnswer::kSilent, ReplicaAnswer::kUntrusted}) {
    dialer_.answer = answer;
    LookFor(absl::Minutes(5));
    EXPECT_FALSE(Registered());
  }
  EXPECT_THAT(events_.reasons, ElementsAre("NotServed", "NotTrusted"));
  EXPECT_THAT(writes_, IsEmpty());
  dialer_.answer = ReplicaAnswer::kTrusted;
  cluster_.Put(kube::kConfigMaps, R"({"metadata":{"name":"steward-apiserver-ca",
      "namespace":"steward-system"},"data":{"ca.crt":"authority"}})");
  ASSERT_OK(Look());
  ASSERT_TRUE(Registered());
  EXPECT_THAT(dialer_.dialed,
              Contains(HasSubstr("steward-apiserver.steward-system.svc authority")));
  const json::value api = WithoutOrigin(Api());
  EXPECT_EQ(api.at("metadata").at("annotations").at("inject"), "me");
  EXPECT_EQ(api.at("metadata").at("ownerReferences").at(0).at("uid"), "role");
  EXPECT_EQ(api.at("spec"), json::parse(R"({"group":"views.operators.coreos.com",
      "version":"v1alpha1","groupPriorityMinimum":1000,"versionPriority":15,
      "service":{"name":"steward-apiserver","namespace":"steward-system","port":444},
      "caBundle":"YXV0aG9yaXR5"})"));
  EXPECT_EQ(Recorded(), "") << "there is nothing to remember";
}

TEST_F(ApiServiceGuardTest, TheAuthorityOfThisMomentIsRestored) {
  Withdrawn();
  dialer_.answer = ReplicaAnswer::kTrusted;
  cluster_.Put(kube::kConfigMaps, R"({"metadata":{"name":"steward-apiserver-ca",
      "namespace":"steward-system"},"data":{"ca.crt":"new"}})");
  ASSERT_OK(Look());
  ASSERT_TRUE(Registered());
  EXPECT_EQ(Api().at("spec").at("caBundle"), "bmV3");
  EXPECT_EQ(Api().at("spec").at("groupPriorityMinimum"), 1234);
}

TEST_F(ApiServiceGuardTest, AdoptsWhatOthersMade) {
  PutApi("True", "theirs", "[]");
  ASSERT_OK(Look());
  EXPECT_THAT(writes_, ElementsAre("patch apiservices"));
  EXPECT_EQ(Api().at("metadata").at("ownerReferences").at(0).at("uid"), "role");
  LookFor(absl::Minutes(1));
  EXPECT_THAT(writes_, ElementsAre("patch apiservices"));
}

TEST_F(ApiServiceGuardTest, NothingIsRegisteredInANamespaceThatGoes) {
  cluster_.Delete(kube::kApiServices, kApi);
  cluster_.Put(kube::kNamespaces, R"({"metadata":{"name":"steward-system","uid":"ns",
      "deletionTimestamp":"2026-01-01T00:00:00Z"}})");
  LookFor(absl::Minutes(1));
  cluster_.Delete(kube::kNamespaces, {"", "steward-system"});
  LookFor(absl::Minutes(1));
  EXPECT_THAT(writes_, IsEmpty());
}

TEST_F(ApiServiceGuardTest, AnotherServiceIsNotGuarded) {
  PutApi("False");
  json::value api = Api();
  api.at("spec").at("service").as_object()["namespace"] = "other";
  cluster_.Put(kube::kApiServices, Serialize(api));
  LookFor(absl::Hours(1));
  EXPECT_THAT(writes_, IsEmpty());
  EXPECT_THAT(events_.reasons, ElementsAre("NotGuarded"));
}

// GitOps tools put it back every few seconds.
TEST_F(ApiServiceGuardTest, WhatIsPutBackWhileNobodyServesItGoesAtOnce) {
  Withdrawn();
  for (int i = 0; i < 50; ++i) {
    PutApi(i % 2 == 0 ? "False" : "Unknown", StrCat("theirs ", i), "[]");
    NextTerm();
    ASSERT_OK(Look());
    ASSERT_FALSE(Registered());
    EXPECT_EQ(Recorded(), "Withdrawn");
    clock_.Advance(absl::Seconds(5));
  }
  EXPECT_EQ(metrics_.withdrawals.Value(), 51);
  // Once a replica answers it is theirs that stays.
  PutApi("Unknown", "theirs", "[]");
  dialer_.answer = ReplicaAnswer::kTrusted;
  ASSERT_OK(Look());
  EXPECT_TRUE(Registered());
  EXPECT_EQ(Recorded(), "Restored");
  EXPECT_EQ(Recorded("uid"), "theirs");
}

// A record that an earlier version wrote.
TEST_F(ApiServiceGuardTest, WhatItYieldedToIsGuarded) {
  Withdrawn();
  json::value map = json::parse(cluster_.Objects(kube::kConfigMaps).at(kRecord));
  map.at("data").as_object()["phase"] = "Yielded";
  cluster_.Put(kube::kConfigMaps, Serialize(map));
  PutApi("False", "theirs", "[]");
  ASSERT_OK(Look());
  EXPECT_FALSE(Registered());
  EXPECT_EQ(Recorded(), "Yielded") << "nothing had to be written";
  dialer_.answer = ReplicaAnswer::kTrusted;
  ASSERT_OK(Look());
  EXPECT_TRUE(Registered());
  EXPECT_EQ(Recorded(), "Restored");
}

TEST_F(ApiServiceGuardTest, WhatSomebodyDeletedIsRegisteredAgain) {
  Withdrawn();
  dialer_.answer = ReplicaAnswer::kTrusted;
  ASSERT_OK(Look());
  cluster_.Delete(kube::kApiServices, kApi);
  ASSERT_OK(Look());
  EXPECT_TRUE(Registered());
  EXPECT_EQ(Recorded(), "");
}

TEST_F(ApiServiceGuardTest, WhatTrustsEverybodyIsRestoredAsWhatDoesNot) {
  PutApi("False");
  json::value api = Api();
  api.at("spec").as_object()["insecureSkipTLSVerify"] = true;
  cluster_.Put(kube::kApiServices, Serialize(api));
  dialer_.answer = ReplicaAnswer::kSilent;
  LookFor(absl::Minutes(2));
  EXPECT_FALSE(Registered());
  dialer_.answer = ReplicaAnswer::kTrusted;
  ASSERT_OK(Look());
  ASSERT_TRUE(Registered());
  EXPECT_FALSE(Api().at("spec").as_object().contains("insecureSkipTLSVerify"));
}

TEST_F(ApiServiceGuardTest, Off) {
  Withdrawn();
  terms_.on = false;
  NextTerm();
  ASSERT_OK(Look());
  EXPECT_TRUE(Registered()) << "what was withdrawn comes back, whoever answers";
  PutApi("False", Recorded("uid"));
  LookFor(absl::Hours(1));
  EXPECT_TRUE(Registered());
}

TEST_F(ApiServiceGuardTest, WhatChangedMeanwhileIsReadAgain) {
  PutApi("False");
  LookFor(absl::Seconds(100));
  clock_.Advance(absl::Seconds(5));
  const auto decide = hook_.decide;
  hook_.decide = [&](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kCreate) cluster_.Put(kube::kApiServices, Serialize(Api()));
    return decide(call);
  };
  ASSERT_OK_AND_ASSIGN(const ReconcileResult result, Look());
  EXPECT_TRUE(Registered());
  EXPECT_EQ(result.requeue_after, absl::Seconds(1));
  hook_.decide = decide;
  ASSERT_OK(Look());
  EXPECT_FALSE(Registered());
}

TEST_F(ApiServiceGuardTest, ARecordThatNobodyCanReadStopsIt) {
  for (const char* data : {R"({})", R"({"data":{"phase":"Lost"}})",
                           R"({"data":{"phase":"Withdrawn","withdrawn":"x","again":"0"}})",
                           R"({"data":{"phase":"Withdrawn","withdrawn":"2026-01-01T00:00:00Z",
                               "again":"-1","apiservice.json":"{}"}})",
                           R"({"data":{"phase":"Withdrawn","withdrawn":"2026-01-01T00:00:00Z",
                               "again":"0","apiservice.json":"{"}})"}) {
    json::value map = json::parse(data);
    map.as_object()["metadata"] = {{"name", kRecord.name}, {"namespace", kRecord.ns}};
    cluster_.Put(kube::kConfigMaps, Serialize(map));
    PutApi("False");
    NextTerm();
    events_.reasons.clear();
    LookFor(absl::Minutes(5));
    EXPECT_TRUE(Registered()) << data;
    EXPECT_THAT(events_.reasons, ElementsAre("Unreadable")) << data;
  }
}

// A guard that dies at any write leaves nothing that the next one does not bring to its end.
TEST_F(ApiServiceGuardTest, SurvivesItsDeath) {
  // Runs a process for so many looks, which dies at the write `die_at`. Returns whether it did.
  const auto run = [&](int looks, int die_at, bool after) {
    auto io = std::make_unique<boost::asio::io_context>(1);
    kube::Hook hook;
    int writes = 0;
    hook.process = io.get();
    hook.decide = [&](const kube::HookedCall& call) {
      kube::HookedFate fate;
      if (call.writes() && ++writes == die_at)
        fate.kind = after ? kube::HookedFate::kDieAfter : kube::HookedFate::kDieBefore;
      return fate;
    };
    TimedClient client(cluster_, hook, clock_, skew_);
    ApiServiceGuard guard(ReconcilerDeps{client, leadership_, worlds_, watches_, events_, clock_,
                                         random_, registry_, gates_},
                          metrics_, dialer_, terms_);
    for (int look = 0; look < looks && !hook.died; ++look) {
      io->restart();
      boost::asio::co_spawn(
          *io, guard.Reconcile({"", kApi.name}),
          [](const std::exception_ptr&, const absl::StatusOr<ReconcileResult>&) {});
      io->run();
      clock_.Advance(absl::Seconds(5));
    }
    io.reset();
    return hook.died;
  };
  const json::value before = WithoutOrigin(Api());
  for (int at = 1; at <= 3; ++at) {
    for (const bool after : {false, true}) {
      SCOPED_TRACE(StrCat("write ", at, after ? ", after it" : ""));
      PutApi("False");
      dialer_.answer = ReplicaAnswer::kSilent;
      EXPECT_TRUE(run(40, at, after)) << "it dies while it withdraws";
      run(40, 0, false);
      EXPECT_FALSE(Registered());
      EXPECT_EQ(Recorded(), "Withdrawn");
      dialer_.answer = ReplicaAnswer::kTrusted;
      EXPECT_TRUE(run(40, at, after)) << "it dies while it restores";
      run(2, 0, false);
      ASSERT_TRUE(Registered());
      EXPECT_EQ(WithoutOrigin(Api()), before);
      EXPECT_EQ(Recorded(), "Restored");
      cluster_.Delete(kube::kConfigMaps, kRecord);
    }
  }
}

}  // namespace
}  // namespace steward::controllers
