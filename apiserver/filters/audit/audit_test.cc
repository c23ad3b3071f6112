// Tests of the audit log with requests that pass through the whole chain.
#include "apiserver/filters/audit/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/filters/chain.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/fairness/pool_metrics.h"
#include "base/json/json_text.h"
#include "kube/audit/testing/recorded_log.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"

namespace steward::filters {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

const kube::GroupVersionResource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews"};

class AuditTest : public ::testing::Test {
 protected:
  AuditTest() {
    client_.HandleCreate(kTokenReviews, [](const json::value& review) {
      const json::string& token = review.at("spec").at("token").as_string();
      if (token == "bad") return json::value{{"status", {{"authenticated", false}}}};
      return json::value{{"status",
                          {{"authenticated", true},
                           {"user", {{"username", token}, {"groups", json::array{"dev"}}}}}}};
    });
    client_.HandleCreate(kube::kSubjectAccessReviews, [](const json::value& review) {
      const bool allowed = review.at("spec").at("user") == "alice";
      return json::value{
          {"status", {{"allowed", allowed}, {"reason", allowed ? "RBAC: she may" : "no rule"}}}};
    });
    UsePolicy("rules: [{level: Request}]");
  }

  void UsePolicy(const std::string& text) { log_ = std::make_unique<audit::RecordedLog>(text); }

  http::Handler Chain(http::Handler api) {
    return BuildHandlerChain(std::move(api),
                             {.clock = clock_,
                              .random = random_,
                              .metrics = metrics_,
                              .authenticator = authenticator_,
                              .always_allowed = *AlwaysAllowed::Create({"/healthz"}),
                              .authorizer = authorizer_,
                              .pool_metrics = pool_metrics_,
                              .in_flight = {},
                              .audit_log = log_->get()});
  }

  static http::Request RequestBy(const std::string& user, const std::string& method,
                                 const std::string& target) {
    http::Request request = MakeRequest(method, target);
    if (!user.empty()) request.headers.Add("Authorization", "Bearer " + user);
    request.headers.Add("Audit-Id", "id-1");
    request.headers.Add("User-Agent", "kubectl/v1");
    request.remote_address = "10.0.0.9:1234";
    return request;
  }
  void Ask(http::Request request, http::Handler api = ServedHandler()) {
    rest::RecordingWriter writer;
    Handle(Chain(std::move(api)), request, writer);
    EXPECT_EQ(writer.misuse(), "");
  }

  static std::string StageOf(const json::value& event) {
    return std::string(event.at("stage").as_string());
  }

  FakeClock clock_;
  FixedRandom random_{0.25};
  kube::FakeClient client_;
  prometheus::Registry registry_;
  RequestMetrics metrics_{registry_, {{"g", "v1", "widgets", {}}}};
  ReviewMetrics authn_metrics_{registry_, ReviewMetrics::Kind::kAuthentication};
  ReviewMetrics authz_metrics_{registry_, ReviewMetrics::Kind::kAuthorization};
  PoolMetrics pool_metrics_{registry_};
  Reviewer token_reviewer_{client_,        clock_,        random_,
                           authn_metrics_, pool_metrics_, "token-reviews"};
  Reviewer access_reviewer_{client_,        clock_,        random_,
                            authz_metrics_, pool_metrics_, "access-reviews"};
  AuthenticationConfigStore configs_;
  TokenAuthenticator tokens_{token_reviewer_, clock_};
  Authenticator authenticator_{configs_, tokens_, clock_, true};
  ReviewAuthorizer authorizer_{access_reviewer_, clock_};
  std::unique_ptr<audit::RecordedLog> log_;
};

TEST_F(AuditTest, ARequestThatIsAnswered) {
  http::Request request = RequestBy("alice", "GET", "/apis/g/v1/namespaces/n/widgets/w/icon?x=1");
  request.headers.Add("X-Forwarded-For", "1.2.3.4");
  Ask(std::move(request));
  const auto events = log_->Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(
      Serialize(events[0]),
      R"({"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","auditID":"id-1",)"
      R"("stage":"RequestReceived","requestURI":"/apis/g/v1/namespaces/n/widgets/w/icon?x=1",)"
      R"("verb":"get","user":{"username":"alice","groups":["dev","system:authenticated"]},)"
      R"("sourceIPs":["1.2.3.4","10.0.0.9"],"userAgent":"kubectl/v1",)"
      R"("objectRef":{"resource":"widgets","namespace":"n","name":"w","apiGroup":"g",)"
      R"("apiVersion":"v1","subresource":"icon"},)"
      R"("requestReceivedTimestamp":"2023-11-14T22:13:20.000000Z",)"
      R"("stageTimestamp":"2023-11-14T22:13:20.000000Z"})");
  EXPECT_EQ(StageOf(events[1]), "ResponseComplete");
  EXPECT_EQ(Serialize(events[1].at("responseStatus")), R"({"metadata":{},"code":200})");
  EXPECT_EQ(Serialize(events[1].at("annotations")),
            R"({"authorization.k8s.io/decision":"allow",)"
            R"("authorization.k8s.io/reason":"RBAC: she may"})");
}

TEST_F(AuditTest, ARefusalSaysWhy) {
  Ask(RequestBy("bob", "GET", "/apis/g/v1/namespaces/n/widgets"));
  const auto events = log_->Events();
  ASSERT_EQ(events.size(), 2u);
  const json::value& status = events[1].at("responseStatus");
  EXPECT_EQ(Serialize(status).find(R"({"metadata":{},"status":"Failure","message":"widgets.g is )"
                                   R"(forbidden: User \"bob\" cannot list)"),
            0u);
  EXPECT_EQ(status.at("reason"), "Forbidden");
  EXPECT_EQ(status.at("code"), 403);
  EXPECT_EQ(status.at("details").at("kind"), "widgets");
  EXPECT_EQ(events[1].at("annotations").at("authorization.k8s.io/decision"), "forbid");
  EXPECT_EQ(events[1].at("annotations").at("authorization.k8s.io/reason"), "no rule");
}

TEST_F(AuditTest, NobodyDecided) {
  client_.FailNext(kube::FakeClient::Verb::kCreate, kube::kSubjectAccessReviews,
                   kube::ToStatus(kube::Forbidden(kube::kSubjectAccessReviews, "", "no right")),
                   100);
  Ask(RequestBy("alice", "GET", "/apis/g/v1/widgets"));
  const auto events = log_->Events();
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].at("responseStatus").at("code"), 500);
  EXPECT_EQ(Serialize(events[1].at("annotations")),
            R"({"authorization.k8s.io/reason":"internal error"})");
}

TEST_F(AuditTest, RefusedBeforeAnybodyIsKnown) {
  Ask(RequestBy("bad", "GET", "/apis/g/v1/widgets"));
  const auto events = log_->Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(StageOf(events[0]), "ResponseStarted");
  EXPECT_EQ(Serialize(events[0].at("user")), "{}");
  EXPECT_EQ(events[0].at("responseStatus").at("code"), 401);
  EXPECT_EQ(events[0].at("responseStatus").at("reason"), "Unauthorized");
  EXPECT_THAT(log_->text(), Not(HasSubstr("bad")));
}

// Requests without authentication cost their client nothing, so they must not fill the disk.
TEST_F(AuditTest, WhatStrangersAskIsKeptShort) {
  for (const char* user : {"", "bad"}) {
    SCOPED_TRACE(user);
    UsePolicy("rules: [{level: Metadata}]");
    std::string name;
    for (int i = 0; i < 10'000; ++i) name += "%01";
    http::Request request =
        RequestBy(user, "GET", "/apis/g/v1/namespaces/n/widgets/" + name + "?&&&&&&&&&&&&&&");
    request.headers.Set("User-Agent", std::string(30'000, '&'));
    Ask(std::move(request));
    const auto events = log_->Events();
    EXPECT_FALSE(events.empty());
    for (const json::value& event : events) {
      const std::string line = Serialize(event);
      EXPECT_LT(line.size(), 6'000u);
      EXPECT_EQ(event.at("annotations").at("audit.k8s.io/truncated"), "true");
    }
  }
}

TEST_F(AuditTest, OtherRefusals) {
  struct Row {
    std::string user;
    std::string target;
    std::string header;
    int code;
    size_t events;
  };
  const Row rows[] = {
      {"alice", "/apis/g/v1/widgets", "Impersonate-User", 403, 2},
      {"alice", "/apis/g/v1/widgets?timeout=x", "X-Other", 400, 1},
      {"", "/healthz", "X-Other", 200, 2},
      {"", "/apis/g/v1/widgets", "X-Other", 403, 2},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.target);
    UsePolicy("rules: [{level: Metadata}]");
    http::Request request = RequestBy(row.user, "GET", row.target);
    request.headers.Add(row.header, "x");
    Ask(std::move(request));
    const auto events = log_->Events();
    ASSERT_EQ(events.size(), row.events);
    EXPECT_EQ(events.back().at("responseStatus").at("code"), row.code);
  }
}

TEST_F(AuditTest, WhatThePolicyDoesNotWant) {
  UsePolicy(
      "rules: [{level: None, users: [alice]}, {level: Metadata, omitStages: [RequestReceived]}]");
  Ask(RequestBy("alice", "GET", "/apis/g/v1/widgets"));
  Ask(RequestBy("bob", "GET", "/apis/g/v1/widgets"));
  const auto events = log_->Events();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].at("user").at("username"), "bob");
  EXPECT_EQ(StageOf(events[0]), "ResponseComplete");
}

TEST_F(AuditTest, Bodies) {
  struct Row {
    std::string type;
    std::string body;
    std::string want;  // "" = none, and an annotation says so
  };
  const std::string rules = "omitManagedFields: true\nrules: [{level: Request}]";
  const Row rows[] = {
      {"application/json", "{ \"a\": 1 }\n", R"({"a":1})"},
      {"application/merge-patch+json", R"([{"op":"x"}])", R"([{"op":"x"}])"},
      {"application/apply-patch+yaml", "a: [b]\n", R"({"a":["b"]})"},
      {"application/json", R"({"metadata":{"managedFields":[1],"name":"w"}})",
       R"({"metadata":{"name":"w"}})"},
      {"application/vnd.kubernetes.protobuf", std::string("k8s\0\x01", 5), ""},
      {"application/json", "\"" + std::string(70 << 10, 'x') + "\"", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.type);
    UsePolicy(rules);
    http::Request request = RequestBy("alice", "PATCH", "/apis/g/v1/widgets/w");
    request.headers.Add("Content-Type", row.type);
    request.body = row.body;
    Ask(std::move(request));
    const auto events = log_->Events();
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].as_object().count("requestObject"), 0u);
    const json::object& last = events[1].as_object();
    if (!row.want.empty()) {
      EXPECT_EQ(Serialize(last.at("requestObject")), row.want);
    } else {
      EXPECT_EQ(last.count("requestObject"), 0u);
      EXPECT_EQ(last.at("annotations").at("audit.k8s.io/truncated"), "true");
    }
  }
}

class IncomingBody final : public http::RequestBody {
 public:
  explicit IncomingBody(std::string text) : text_(std::move(text)) {}
  Task<std::string> Read(size_t) override { co_return text_; }

 private:
  const std::string text_;
};

TEST_F(AuditTest, OnlyTheBodiesOfThoseWhoMay) {
  for (const bool may : {true, false}) {
    SCOPED_TRACE(may);
    UsePolicy("rules: [{level: Request}]");
    http::Request request = RequestBy(may ? "alice" : "bob", "POST", "/apis/g/v1/widgets");
    request.headers.Add("Content-Type", "application/json");
    IncomingBody body(R"({"kind":"Widget"})");
    request.incoming = &body;
    rest::RecordingWriter writer;
    Handle(Chain(ServedHandler()), request, writer);
    const auto events = log_->Events();
    ASSERT_EQ(events.size(), 2u);
    const json::object& last = events[1].as_object();
    if (may) {
      EXPECT_EQ(Serialize(last.at("requestObject")), R"({"kind":"Widget"})");
    } else {
      EXPECT_EQ(last.count("requestObject"), 0u);
    }
  }
}

VoidTask Watch(FakeClock& clock, http::ResponseWriter& writer) {
  http::ResponseHead head;
  const absl::Status sent = co_await writer.WriteHead(std::move(head));
  sent.IgnoreError();
  co_await clock.Sleep(absl::Hours(1));
}

VoidTask SayNothing(FakeClock& clock) { co_await clock.Sleep(absl::Hours(1)); }

class LongRunningTest : public AuditTest {
 protected:
  // Begins a watch, and cancels it five seconds later, as if the client had left.
  std::vector<std::string> StagesOf(http::Handler api, std::string* last = nullptr) {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    const http::Handler chain = Chain(std::move(api));
    http::Request request = RequestBy("alice", "GET", "/apis/g/v1/widgets?watch=1");
    rest::RecordingWriter writer;
    group.Spawn("watch", chain(request, writer));
    io.poll();
    clock_.Advance(absl::Seconds(5));
    RunOn(io, group.Stop());
    std::vector<std::string> stages;
    for (const json::value& event : log_->Events()) {
      stages.push_back(StageOf(event) + " " +
                       std::string(event.at("stageTimestamp").as_string().subview(17, 2)));
      if (last != nullptr) *last = Serialize(event);
    }
    return stages;
  }
};

TEST_F(LongRunningTest, AWatchIsRecordedWhenItBeginsAndWhenItEnds) {
  const auto stages = StagesOf(
      [this](http::Request&, http::ResponseWriter& writer) { return Watch(clock_, writer); });
  EXPECT_THAT(stages,
              ElementsAre("RequestReceived 20", "ResponseStarted 20", "ResponseComplete 25"));
}

TEST_F(LongRunningTest, AClientThatLeavesFirst) {
  std::string last;
  const auto stages =
      StagesOf([this](http::Request&, http::ResponseWriter&) { return SayNothing(clock_); }, &last);
  EXPECT_THAT(stages,
              ElementsAre("RequestReceived 20", "ResponseStarted 25", "ResponseComplete 25"));
  EXPECT_THAT(last, HasSubstr("Connection closed early"));
}

TEST_F(AuditTest, NoLogNoRecord) {
  EXPECT_EQ(log_->text(), "");
  bool recorded = true;
  Ask(RequestBy("alice", "GET", "/apis/g/v1/widgets"),
      [&recorded](http::Request& request, http::ResponseWriter& writer) {
        recorded = request.audit != nullptr;
        return ServedHandler()(request, writer);
      });
  EXPECT_FALSE(recorded);
  EXPECT_EQ(log_->text(), "");
}

}  // namespace
}  // namespace steward::filters
