#include "controllers/rpc/copied_csv/copied_csv_calls.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/copies/followed_copies.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "controllers/rpc/bridge/access.h"
#include "controllers/rpc/bridge/message_sink.h"
#include "controllers/rpc/bridge/method.h"
#include "controllers/rpc/bridge/requester.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "olm/resources.h"
#include "proto/steward/copiedcsv/v1/copiedcsv.pb.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/testing/operator_writer.h"
#include "storage/world/world_store.h"

namespace steward::rpc {
namespace {

namespace json = boost::json;
using controllers::CopyCluster;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kOff[] = R"({"disableCopiedCSVs":true})";
constexpr char kOn[] = R"({"disableCopiedCSVs":false})";

// Records each message, as "Off left 2" or "unchanged".
class Sink : public CopiesStateSink {
 public:
  StatusTask Write(copiedcsv::v1::WatchResponse message) override {
    if (!failure.ok()) co_return failure;
    token = message.resume_token();
    const copiedcsv::v1::State& state = message.state();
    said.push_back(message.has_unchanged()
                       ? "unchanged"
                       : StrCat(state.desired().copies(), " left ", state.progress().left()));
    co_return absl::OkStatus();
  }
  std::vector<std::string> said;
  std::string token;
  absl::Status failure;
};

class CopiedCsvCallsTest : public testing::Test {
 protected:
  CopiedCsvCallsTest() {
    for (const char* ns : {"ops", "red", "blue"}) cluster_.PutNamespace(ns);
    cluster_.PutGroup("ops", "g", "{}");
    cluster_.PutCsv("ops", "etcd.v1");
    cluster_.fake().Serve(kube::kSubjectAccessReviews);
    cluster_.fake().HandleCreate(kube::kSubjectAccessReviews, [this](const json::value& review) {
      json::value answer = review;
      const json::object& what = review.at("spec").at("resourceAttributes").as_object();
      const auto* ns = what.if_contains("namespace");
      answer.as_object()["status"] = {
          {"allowed", sees_.contains(ns == nullptr ? "" : std::string(ns->as_string()))}};
      return absl::StatusOr<json::value>(answer);
    });
  }
  ~CopiedCsvCallsTest() override { RunOn(io_, tasks_.Stop()); }

  void Start() {
    tasks_.Spawn("copies", copies_.Run());
    Look();
  }
  void Look(absl::Duration time = absl::Seconds(2)) {
    cluster_.Observe(writer_, seen_);
    worlds_.Publish(writer_.Snapshot());
    for (; time > absl::ZeroDuration(); time -= absl::Milliseconds(500)) {
      clock_.Advance(absl::Milliseconds(500));
      io_.restart();
      while (io_.poll() > 0) {
      }
    }
  }
  void PutCopy(const std::string& ns) {
    cluster_.PutCsv(ns, "etcd.v1",
                    {.reason = "Copied", .metadata = R"(,"labels":{"olm.copiedFrom":"ops"})"});
  }
  absl::StatusOr<copiedcsv::v1::GetStateResponse> GetState() {
    return RunOn(io_, calls_.GetState(alice_, {}));
  }
  absl::StatusOr<copiedcsv::v1::PreviewResponse> Preview(copiedcsv::v1::Choice choice,
                                                         bool tries = false) {
    copiedcsv::v1::PreviewRequest request;
    request.set_choice(choice);
    request.set_try_changes(tries);
    return RunOn(io_, calls_.Preview(alice_, std::move(request)));
  }
  void Watch(Sink& sink, const std::string& token = "") {
    copiedcsv::v1::WatchRequest request;
    request.set_resume_token(token);
    tasks_.Spawn("watch", RunWatch(std::move(request), sink));
    Look();
  }
  VoidTask RunWatch(copiedcsv::v1::WatchRequest request, Sink& sink) {
    ended_ = co_await calls_.Watch(alice_, std::move(request), sink);
    ++ends_;
  }
  Task<bool> Served() {
    if (!served_.ok()) co_return served_.status();
    co_return *served_;
  }

  Requester alice_ = {.user = {"alice", "", {}, {}}, .frontend = "", .notes = nullptr};
  FakeClock clock_;
  FixedRandom random_{0};
  boost::asio::io_context io_{1};
  CopyCluster cluster_;
  kube::HookClient faults_{cluster_, clock_};
  storage::WorldStore worlds_{storage::kOperatorSources};
  storage::OperatorWriter writer_;
  CopyCluster::Seen seen_;
  std::set<std::string> sees_;
  absl::StatusOr<bool> served_ = true;
  controllers::FollowedCopies copies_{faults_, clock_, random_, worlds_, {}};
  Access access_{cluster_.fake(),
                 clock_,
                 {.allowed_ttl = absl::ZeroDuration(), .denied_ttl = absl::ZeroDuration()}};
  CopiedCsvCalls calls_{{.clock = clock_,
                         .cluster = faults_,
                         .worlds = worlds_,
                         .copies = copies_,
                         .serves_installed_operators = [this] { return Served(); }},
                        access_,
                        {.pace = absl::Milliseconds(500)}};
  absl::Status ended_;
  int ends_ = 0;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(CopiedCsvCallsTest, AStateSaysWhatIsMissingAndHowFarItIs) {
  Start();
  ASSERT_OK_AND_ASSIGN(const auto before, GetState());
  EXPECT_EQ(before.state().desired().copies(), "On");
  EXPECT_EQ(before.state().desired().decided_by(), "Defaults");
  EXPECT_EQ(before.state().missing(), 2);
  PutCopy("red");
  Look();
  ASSERT_OK_AND_ASSIGN(const auto half, GetState());
  EXPECT_EQ(half.state().copies(), 1);
  EXPECT_EQ(half.state().progress().left(), 1);
  EXPECT_EQ(half.state().progress().of(), 2);
  EXPECT_FALSE(half.state().progress().done());
  PutCopy("blue");
  Look();
  ASSERT_OK_AND_ASSIGN(const auto all, GetState());
  EXPECT_TRUE(all.state().progress().done());
  EXPECT_EQ(all.state().progress().of(), 0);
  cluster_.PutOlmConfig(kOff);
  Look();
  ASSERT_OK_AND_ASSIGN(const auto off, GetState());
  EXPECT_EQ(off.state().desired().copies(), "Off");
  EXPECT_EQ(off.state().desired().olm_config(), "cluster");
  EXPECT_EQ(off.state().unexpected(), 2);
  EXPECT_NE(off.resume_token(), all.resume_token());
}

TEST_F(CopiedCsvCallsTest, BeforeCopiesAreKnownThereIsNoAnswer) {
  Look();
  for (const absl::Status& status :
       {GetState().status(), Preview(copiedcsv::v1::CHOICE_OFF).status()}) {
    EXPECT_EQ(kube::FromStatus(status).code, 503);
    EXPECT_GT(kube::FromStatus(status).retry_after_seconds, 0);
    EXPECT_THAT(std::string(status.message()), HasSubstr("copies are not known"));
  }
  Sink sink;
  Watch(sink);
  EXPECT_EQ(kube::FromStatus(ended_).code, 503);
}

TEST_F(CopiedCsvCallsTest, AWatchSendsEachNewerState) {
  Start();
  Sink sink;
  Watch(sink);
  EXPECT_THAT(sink.said, ElementsAre("On left 2"));
  PutCopy("red");
  Look();
  PutCopy("blue");
  Look();
  cluster_.PutOlmConfig(kOn);
  Look();
  EXPECT_THAT(sink.said, ElementsAre("On left 2", "On left 1", "On left 0", "On left 0"))
      << "the last: another one decides";
  sink.failure = absl::CancelledError("the client is gone");
  cluster_.PutOlmConfig(kOff);
  Look();
  EXPECT_EQ(ended_.code(), absl::StatusCode::kCancelled);
}

TEST_F(CopiedCsvCallsTest, AWatchResumesWithTheTokenOfAnyReplica) {
  PutCopy("red");
  Start();
  Sink first;
  Watch(first);
  Sink second;
  Watch(second, first.token);
  EXPECT_THAT(second.said, ElementsAre("unchanged"));
  Sink third;
  Watch(third, "of another cluster");
  EXPECT_THAT(third.said, ElementsAre("On left 1"));
}

TEST_F(CopiedCsvCallsTest, AWatchEndsSoThatItsRightsAreCheckedAgain) {
  Start();
  Sink sink;
  Watch(sink);
  clock_.Advance(absl::Minutes(31));
  PutCopy("red");
  Look();
  EXPECT_EQ(ends_, 1);
  EXPECT_OK(ended_);
}

TEST_F(CopiedCsvCallsTest, APreviewSaysWhoLosesSightOfWhat) {
  PutCopy("red");
  PutCopy("blue");
  sees_ = {"red"};
  Start();
  ASSERT_OK_AND_ASSIGN(const auto off, Preview(copiedcsv::v1::CHOICE_OFF));
  EXPECT_EQ(off.summary().deletes(), 2);
  EXPECT_EQ(off.summary().namespaces(), 2);
  EXPECT_EQ(off.summary().operators(), 1);
  EXPECT_EQ(off.summary().installed_operators(), "Served");
  EXPECT_EQ(off.hidden(), 1);
  ASSERT_EQ(off.changes_size(), 1);
  EXPECT_EQ(off.changes(0).namespace_(), "red");
  EXPECT_TRUE(off.changes(0).requester_loses_sight());
  ASSERT_OK_AND_ASSIGN(const auto on, Preview(copiedcsv::v1::CHOICE_ON));
  EXPECT_EQ(on.summary().creates() + on.summary().deletes(), 0);
  EXPECT_EQ(on.summary().installed_operators(), "");
  EXPECT_THAT(on.changes(), IsEmpty());
  served_ = false;
  EXPECT_EQ(Preview(copiedcsv::v1::CHOICE_OFF)->summary().installed_operators(), "NotServed");
  served_ = absl::UnavailableError("away");
  EXPECT_EQ(Preview(copiedcsv::v1::CHOICE_OFF)->summary().installed_operators(), "Unknown");
}

TEST_F(CopiedCsvCallsTest, ChangesAreTriedWhereThatIsAsked) {
  PutCopy("red");
  sees_ = {""};
  Start();
  ASSERT_OK_AND_ASSIGN(auto on, Preview(copiedcsv::v1::CHOICE_ON, true));
  ASSERT_EQ(on.changes_size(), 1);
  EXPECT_EQ(on.changes(0).namespace_(), "blue");
  EXPECT_EQ(on.changes(0).outcome(), "Create");
  EXPECT_EQ(on.changes(0).basis(), "DryRun");
  EXPECT_EQ(on.preview().steps(0).outcome(), "Create");
  EXPECT_EQ(on.preview().steps(0).reason(), "Missing");
  EXPECT_EQ(on.preview().executable().reason(), "CopiesChange");
  faults_.FailNext({kube::ClientVerb::kCreate, olm::kCsvs},
                   kube::ToStatus(kube::Forbidden(olm::kCsvs, "etcd.v1", "no")), 1);
  ASSERT_OK_AND_ASSIGN(on, Preview(copiedcsv::v1::CHOICE_ON, true));
  EXPECT_EQ(on.changes(0).outcome(), "Fail");
  EXPECT_EQ(on.changes(0).code(), 403);
  EXPECT_EQ(on.changes(0).message(), "Forbidden");
  EXPECT_EQ(on.preview().steps(0).reason(), "Forbidden");
  EXPECT_EQ(on.preview().steps(0).message(), "copy of ops/etcd.v1");
  EXPECT_EQ(on.preview().executable().reason(), "StepsFail");
  ASSERT_OK_AND_ASSIGN(auto off, Preview(copiedcsv::v1::CHOICE_OFF, true));
  ASSERT_EQ(off.changes_size(), 1);
  EXPECT_EQ(off.changes(0).outcome(), "Delete");
  EXPECT_EQ(off.changes(0).basis(), "DryRun");
  faults_.FailNext({kube::ClientVerb::kDelete, olm::kCsvs}, absl::UnavailableError("away"), 1);
  ASSERT_OK_AND_ASSIGN(off, Preview(copiedcsv::v1::CHOICE_OFF, true));
  EXPECT_EQ(off.changes(0).outcome(), "Unknown");
  ASSERT_OK_AND_ASSIGN(off, Preview(copiedcsv::v1::CHOICE_OFF));
  EXPECT_EQ(off.changes(0).outcome(), "") << "not asked for";
  ASSERT_EQ(off.changes_size(), 1) << "nothing was deleted";
}

TEST_F(CopiedCsvCallsTest, WhereNobodyReconcilesNothingIsForeseen) {
  PutCopy("red");
  sees_ = {""};
  Start();
  CopiedCsvCalls calls({.clock = clock_,
                        .cluster = faults_,
                        .worlds = worlds_,
                        .copies = copies_,
                        .serves_installed_operators = [this] { return Served(); },
                        .reconciles = false},
                       access_);
  for (const auto choice : {copiedcsv::v1::CHOICE_ON, copiedcsv::v1::CHOICE_OFF}) {
    copiedcsv::v1::PreviewRequest request;
    request.set_choice(choice);
    request.set_try_changes(true);
    ASSERT_OK_AND_ASSIGN(const auto answer, RunOn(io_, calls.Preview(alice_, std::move(request))));
    EXPECT_TRUE(answer.summary().not_reconciled());
    EXPECT_EQ(answer.preview().executable().reason(), "NobodyCopies");
    EXPECT_THAT(answer.preview().executable().message(),
                testing::HasSubstr("the reconciler copied-csvs does not run here"));
    EXPECT_EQ(answer.summary().creates() + answer.summary().deletes(), 0);
    EXPECT_THAT(answer.changes(), IsEmpty());
  }
}

TEST_F(CopiedCsvCallsTest, NoMethodWrites) {
  PutCopy("red");
  cluster_.PutOlmConfig(kOff);
  Start();
  EXPECT_OK(GetState());
  EXPECT_OK(Preview(copiedcsv::v1::CHOICE_OFF));
  for (const auto verb : {kube::ClientVerb::kCreate, kube::ClientVerb::kUpdate,
                          kube::ClientVerb::kPatch, kube::ClientVerb::kDelete}) {
    EXPECT_EQ(faults_.calls({verb, controllers::kTestCsvs}), 0);
    EXPECT_EQ(faults_.calls({verb, controllers::kTestOlmConfigs}), 0);
  }
}

// Returns the right of a request, like "get olmconfigs.operators.coreos.com/copies /cluster".
template <typename Request>
std::string RightOf(const Method<Request>& method) {
  const AccessAttributes access = method.target(Request()).access;
  return StrCat(access.verb, " ", access.gvr.GroupResource(), "/", access.subresource, " ",
                access.ns, "/", access.name);
}

TEST(CopiedCsvMethodsTest, EachTakesOneRight) {
  EXPECT_EQ(RightOf(copied_csv_methods::kGetState),
            "get olmconfigs.operators.coreos.com/copies /cluster");
  EXPECT_EQ(RightOf(copied_csv_methods::kWatch),
            "watch olmconfigs.operators.coreos.com/copies /cluster");
  EXPECT_EQ(RightOf(copied_csv_methods::kPreview),
            "get olmconfigs.operators.coreos.com/preview /cluster");
}

TEST(CopiedCsvMethodsTest, WhatCannotBeIsRefused) {
  copiedcsv::v1::PreviewRequest request;
  const auto code = [&request] {
    const absl::Status status = copied_csv_methods::kPreview.check(request);
    return status.ok() ? 200 : kube::FromStatus(status).code;
  };
  EXPECT_EQ(code(), 400) << "neither on nor off";
  request.set_choice(copiedcsv::v1::CHOICE_ON);
  EXPECT_EQ(code(), 200);
  request.set_page_size(-1);
  EXPECT_EQ(code(), 400);
  request.set_page_size(1);
  request.set_choice(static_cast<copiedcsv::v1::Choice>(7));
  EXPECT_EQ(code(), 400);
}

}  // namespace
}  // namespace steward::rpc
