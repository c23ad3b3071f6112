#include "controllers/rpc/bridge/call_record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "kube/audit/testing/recorded_log.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"

namespace steward::rpc {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;

const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

MethodTarget TargetOf(const std::string& verb, const std::string& ns, const std::string& name) {
  return {{verb, kWidgets, "", ns, name}, ""};
}

class CallRecordTest : public ::testing::Test {
 protected:
  CallRecordTest() { UsePolicy("rules: [{level: Request}]"); }
  void UsePolicy(const std::string& rest) { log_ = std::make_unique<audit::RecordedLog>(rest); }
  CallRecord Record(const std::string& method, const MethodTarget& target) {
    return {log_->get(),
            clock_,
            random_,
            {"steward.sample.v1.SampleService", method, "ipv4:10.0.0.9:1234", "grpc-go/1",
             audit_id_, ""},
            target};
  }
  std::vector<std::string> Stages() {
    std::vector<std::string> stages;
    for (const json::value& event : log_->Events()) {
      stages.emplace_back(std::string(event.at("stage").as_string()));
    }
    return stages;
  }

  const Requester frontend_{{.name = "steward-apiserver", .groups = {"system:authenticated"}}};
  std::string audit_id_;
  FakeClock clock_;
  FixedRandom random_{0.25};
  std::unique_ptr<audit::RecordedLog> log_;
};

TEST_F(CallRecordTest, SaysWhoAbortedForWhom) {
  common::v1::Requester alice;
  alice.set_user("alice");
  alice.add_groups("dev");
  (*alice.mutable_extra())["scopes"].add_values("a");
  MethodTarget target = TargetOf("patch", "ops", "w.v1");
  target.uid = "u1";
  CallRecord record = Record("Abort", target);
  record.NoteCaller(frontend_, &alice);
  record.NoteDecision(true, "RBAC: she may");
  record.End(absl::OkStatus());
  const auto events = log_->Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[0].at("stage"), "RequestReceived");
  EXPECT_EQ(Serialize(events[1]),
            R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request",)"
            R"("auditID":"40404040-4040-4040-8040-404040404040","stage":"ResponseComplete",)"
            R"("requestURI":"/steward.sample.v1.SampleService/Abort","verb":"patch",)"
            R"("user":{"username":"steward-apiserver","groups":["system:authenticated"]},)"
            R"("impersonatedUser":{"username":"alice","groups":["dev"],"extra":{"scopes":["a"]}},)"
            R"("sourceIPs":["10.0.0.9"],"userAgent":"grpc-go/1",)"
            R"("objectRef":{"resource":"widgets","namespace":"ops","name":"w.v1",)"
            R"("uid":"u1","apiGroup":"example.com","apiVersion":"v1"},)"
            R"("responseStatus":{"metadata":{},"code":200},)"
            R"("requestReceivedTimestamp":"2023-11-14T22:13:20.000000Z",)"
            R"("stageTimestamp":"2023-11-14T22:13:20.000000Z",)"
            R"("annotations":{"authorization.k8s.io/decision":"allow",)"
            R"("authorization.k8s.io/reason":"RBAC: she may"}})");
}

TEST_F(CallRecordTest, ARefusal) {
  CallRecord record = Record("Get", TargetOf("get", "ops", "w.v1"));
  record.NoteCaller(frontend_, nullptr);
  record.NoteDecision(false, "no rule");
  record.End(kube::ToStatus(kube::Forbidden({"g", "v1", "widgets"}, "w", "no")));
  const json::value last = log_->Events().back();
  EXPECT_EQ(last.at("responseStatus").at("code"), 403);
  EXPECT_EQ(last.at("responseStatus").at("reason"), "Forbidden");
  EXPECT_EQ(last.at("annotations").at("authorization.k8s.io/decision"), "forbid");
  EXPECT_EQ(last.as_object().count("impersonatedUser"), 0u);
}

TEST_F(CallRecordTest, KeepsTheAuditIdOfTheRequestThatItIsFor) {
  audit_id_ = "id-1";
  CallRecord record = Record("Get", TargetOf("get", "ops", "w.v1"));
  record.NoteCaller(frontend_, nullptr);
  record.End(absl::OkStatus());
  EXPECT_EQ(log_->Events().back().at("auditID"), "id-1");
}

TEST_F(CallRecordTest, NobodyIsKnown) {
  CallRecord record = Record("Get", TargetOf("get", "ops", "w.v1"));
  record.End(kube::ToStatus(kube::Unauthorized()));
  const auto events = log_->Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].at("stage"), "ResponseStarted");
  EXPECT_EQ(events[0].at("responseStatus").at("code"), 401);
}

TEST_F(CallRecordTest, AWatchBeginsAndEnds) {
  CallRecord record = Record("Watch", TargetOf("watch", "", ""));
  record.NoteCaller(frontend_, nullptr);
  record.NoteStarted();
  record.NoteStarted();
  record.End(absl::OkStatus());
  EXPECT_THAT(Stages(), ElementsAre("RequestReceived", "ResponseStarted", "ResponseComplete"));
}

TEST_F(CallRecordTest, OnlyWhatThePolicyWants) {
  UsePolicy("omitStages: [RequestReceived]\nrules: [{level: Metadata, verbs: [patch]}]");
  for (const MethodTarget& target : {TargetOf("get", "ops", "w"), TargetOf("patch", "ops", "w")}) {
    CallRecord record = Record("Some", target);
    record.NoteCaller(frontend_, nullptr);
    record.End(absl::OkStatus());
  }
  EXPECT_THAT(Stages(), ElementsAre("ResponseComplete"));
}

TEST_F(CallRecordTest, IsBounded) {
  common::v1::Requester alice;
  alice.set_user("alice");
  alice.add_groups(std::string(1 << 20, 'g'));
  const std::string long_name(1 << 20, 'n');
  CallRecord record = Record("Get", TargetOf("get", long_name, long_name));
  record.NoteCaller(frontend_, &alice);
  record.End(absl::OkStatus());
  const json::value last = log_->Events().back();
  EXPECT_LT(log_->text().size(), 8'000u);
  EXPECT_EQ(Serialize(last.at("impersonatedUser")), R"({"username":"alice"})");
  EXPECT_EQ(last.at("annotations").at("audit.k8s.io/truncated"), "true");
}

TEST_F(CallRecordTest, WithoutALog) {
  EXPECT_EQ(log_->text(), "");
  CallRecord record = Record("Get", TargetOf("get", "ops", "w"));
  record.NoteCaller(frontend_, nullptr);
  record.NoteDecision(true, "");
  record.End(absl::OkStatus());
  EXPECT_EQ(log_->text(), "");
}

}  // namespace
}  // namespace steward::rpc
