#include "apiserver/filters/authorization/authorization.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/fairness/pool_metrics.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"

namespace steward::filters {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using ::testing::Not;
using Verb = kube::FakeClient::Verb;

constexpr char kList[] =
    "/apis/views.operators.coreos.com/v1alpha1/namespaces/ns/installedoperators";

TEST(ForbiddenStatusTest, KubernetesWording) {
  struct Row {
    std::string user;
    std::string method;
    std::string target;
    std::string reason;
    std::string message;
  };
  const Row rows[] = {
      {"u", "GET", kList, "",
       R"(installedoperators.views.operators.coreos.com is forbidden: User "u" cannot list resource "installedoperators" in API group "views.operators.coreos.com" in the namespace "ns")"},
      {"u", "GET", kList, "because",
       R"(installedoperators.views.operators.coreos.com is forbidden: User "u" cannot list resource "installedoperators" in API group "views.operators.coreos.com" in the namespace "ns": because)"},
      {"u", "GET", "/apis/g/v1/widgets?watch=1", "",
       R"(widgets.g is forbidden: User "u" cannot watch resource "widgets" in API group "g" at the cluster scope)"},
      {"u", "GET", "/apis/g/v1/namespaces/n/widgets/w/icon", "",
       R"(widgets.g "w" is forbidden: User "u" cannot get resource "widgets/icon" in API group "g" in the namespace "n")"},
      {"u", "DELETE", "/api/v1/namespaces/n/pods/p", "",
       R"(pods "p" is forbidden: User "u" cannot delete resource "pods" in API group "" in the namespace "n")"},
      {"system:anonymous", "GET", "/x", "",
       R"(forbidden: User "system:anonymous" cannot get path "/x")"},
      {"u", "POST", "/version", "no", R"(forbidden: User "u" cannot post path "/version": no)"},
      {"<b>&\"", "GET", "/%3Cscript%3E", "<ok>",
       R"(forbidden: User "&lt;b&gt;&amp;\"" cannot get path "/&lt;script&gt;": <ok>)"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.message);
    http::Request request = MakeReadRequest(row.method, row.target);
    request.user.name = row.user;
    const kube::Status status = ForbiddenStatus(request, row.reason);
    EXPECT_EQ(status.code, 403);
    EXPECT_EQ(status.reason, "Forbidden");
    EXPECT_EQ(status.message, row.message);
    EXPECT_EQ(status.kind, request.info.resource);
    EXPECT_EQ(status.group, request.info.group);
    EXPECT_EQ(status.name, request.info.name);
  }
}

TEST(AlwaysAllowedTest, PathsAndMasters) {
  ASSERT_OK_AND_ASSIGN(const AlwaysAllowed allowed,
                       AlwaysAllowed::Create({"/healthz", "livez", "/open/*"}));
  struct Row {
    std::string target;
    std::vector<std::string> groups;
    bool want;
  };
  const Row rows[] = {
      {"/healthz", {}, true},
      {"/livez", {}, true},
      {"/healthz/ping", {}, false},
      {"/readyz", {}, false},
      {"/open/x/y", {}, true},
      {"/open", {}, false},
      {"/apis/g/v1/healthz", {}, false},
      {"/apis/g/v1/healthz", {"system:masters"}, true},
      {"/metrics", {"a", "system:masters"}, true},
      {"/metrics", {"system:master"}, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.target);
    http::Request request = MakeReadRequest("GET", row.target);
    request.user.groups = row.groups;
    EXPECT_EQ(allowed.Allows(request), row.want);
  }
  EXPECT_THAT(AlwaysAllowed::Create({"/a*b"}), StatusIs(absl::StatusCode::kInvalidArgument));
}

class AuthorizationTest : public ::testing::Test {
 protected:
  AuthorizationTest() {
    client_.HandleCreate(kube::kSubjectAccessReviews,
                         [this](const json::value&) { return answer_; });
  }

  http::Handler Authorized(http::Handler next, const std::vector<std::string>& always = {}) {
    return WithAuthorization(std::move(next), *AlwaysAllowed::Create(always),
                             {.authorizer = authorizer_, .clock = clock_, .random = random_});
  }
  int Ask(const std::string& target, const std::string& user = "u") {
    http::Request request = MakeReadRequest("GET", target);
    request.user.name = user;
    writer_ = std::make_unique<rest::RecordingWriter>();
    Handle(Authorized(ServedHandler(), {"/healthz"}), request, *writer_);
    return writer_->status();
  }
  int calls() { return client_.calls(Verb::kCreate, kube::kSubjectAccessReviews); }
  void Answer(bool allowed) { answer_ = {{"status", {{"allowed", allowed}}}}; }

  FakeClock clock_;
  FixedRandom random_{0};
  kube::FakeClient client_;
  prometheus::Registry registry_;
  ReviewMetrics metrics_{registry_, ReviewMetrics::Kind::kAuthorization};
  ReviewerOptions one_attempt_{.attempts = 1};
  PoolMetrics pools_{registry_};
  Reviewer reviewer_{client_, clock_, random_, metrics_, pools_, "reviews", one_attempt_};
  ReviewAuthorizerOptions options_{.allowed_ttl = absl::Seconds(10),
                                   .denied_ttl = absl::Seconds(5)};
  ReviewAuthorizer authorizer_{reviewer_, clock_, options_};
  json::value answer_ = {{"status", {{"allowed", true}}}};
  std::unique_ptr<rest::RecordingWriter> writer_;
};

// Requests of several threads are reviewed at the same time.
TEST_F(AuthorizationTest, EachReviewIsOfItsOwnUser) {
  client_.HandleCreate(kube::kSubjectAccessReviews, [](const json::value& review) -> json::value {
    const json::value& user = review.at("spec").at("user");
    return {{"status", {{"allowed", true}, {"reason", user}}}};
  });
  const auto ask = [this](char thread) {
    boost::asio::io_context io(1);
    for (int i = 0; i < 500; ++i) {
      http::Request request = MakeReadRequest("GET", kList);
      request.user.name = StrCat(std::string(1, thread), i);
      const absl::StatusOr<Decision> decision = RunOn(io, authorizer_.Authorize(request));
      ASSERT_OK(decision);
      EXPECT_EQ(decision->reason, request.user.name);
    }
  };
  std::thread other(ask, 'a');
  ask('b');
  other.join();
}

TEST_F(AuthorizationTest, Allowed) {
  EXPECT_EQ(Ask(kList), 200);
  EXPECT_EQ(writer_->body(), "served");
}

TEST_F(AuthorizationTest, DeniedWithReason) {
  answer_ = {{"status", {{"allowed", false}, {"reason", "no binding"}}}};
  EXPECT_EQ(Ask(kList), 403);
  EXPECT_THAT(writer_->body(), HasSubstr("in the namespace \\\"ns\\\": no binding"));
  EXPECT_EQ(writer_->Header("X-Content-Type-Options"), "nosniff");
}

TEST_F(AuthorizationTest, NeverAllowsByAccident) {
  const json::value answers[] = {
      {{"status", {{"allowed", true}, {"denied", true}}}},
      {{"status", {{"allowed", "true"}}}},
      {{"status", {{"allowed", 1}}}},
      {{"status", json::object()}},
      {{"allowed", true}},
      json::object(),
      "allowed",
      true,
      nullptr,
  };
  for (const json::value& answer : answers) {
    answer_ = answer;
    clock_.Advance(absl::Seconds(10));
    EXPECT_GE(Ask(kList), 403);
  }
}

TEST_F(AuthorizationTest, OutageIs500WithoutDetails) {
  const absl::Status errors[] = {
      absl::UnavailableError("connection refused to 10.0.0.1"),
      absl::DeadlineExceededError("10.0.0.1"),
      kube::ToStatus(kube::Forbidden(kube::kSubjectAccessReviews, "", "10.0.0.1 says no")),
      kube::ToStatus(kube::InternalError("10.0.0.1")),
  };
  for (const absl::Status& error : errors) {
    client_.FailNext(Verb::kCreate, kube::kSubjectAccessReviews, error);
    EXPECT_EQ(Ask(kList), 500);
    EXPECT_THAT(writer_->body(), HasSubstr("InternalError"));
    EXPECT_THAT(writer_->body(), Not(HasSubstr("10.0.0.1")));
  }
}

TEST_F(AuthorizationTest, WhoeverMayBeAnybodyIsNotRefused) {
  for (const auto& [target, want] : {std::pair{kList, 503}, std::pair{"/healthz", 200}}) {
    http::Request request = MakeReadRequest("GET", target);
    request.user.name = "system:anonymous";
    request.may_be_anybody = true;
    rest::RecordingWriter writer;
    Handle(Authorized(ServedHandler(), {"/healthz"}), request, writer);
    EXPECT_EQ(writer.status(), want);
    if (want == 503) EXPECT_EQ(writer.Header("Retry-After"), "1");
  }
  EXPECT_EQ(calls(), 0);
}

TEST_F(AuthorizationTest, OverloadIs429) {
  client_.FailNext(Verb::kCreate, kube::kSubjectAccessReviews,
                   kube::ToStatus(Reviewer::Overloaded()));
  EXPECT_EQ(Ask(kList), 429);
  EXPECT_EQ(writer_->Header("Retry-After"), "1");
}

TEST_F(AuthorizationTest, DecisionsAreKeptForTheirTime) {
  EXPECT_EQ(Ask(kList), 200);
  client_.FailNext(Verb::kCreate, kube::kSubjectAccessReviews, absl::UnavailableError("down"), 1);
  clock_.Advance(absl::Seconds(9));
  EXPECT_EQ(Ask(kList), 200);
  EXPECT_EQ(calls(), 1);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Ask(kList), 500);  // the kube-apiserver does not answer, and the kept decision has
                               // expired
  Answer(false);
  EXPECT_EQ(Ask(kList), 403);
  Answer(true);
  clock_.Advance(absl::Seconds(4));
  EXPECT_EQ(Ask(kList), 403);
  clock_.Advance(absl::Seconds(1));
  EXPECT_EQ(Ask(kList), 200);
}

TEST_F(AuthorizationTest, EveryDifferenceIsAnotherQuestion) {
  const std::string base = "/apis/g/v1/namespaces/n/widgets";
  const std::pair<std::string, std::string> questions[] = {
      {base, "u"},
      {base, "v"},
      {base + "?watch=1", "u"},
      {base + "/w", "u"},
      {base + "/w/icon", "u"},
      {base + "?labelSelector=a%3Db", "u"},
      {base + "?fieldSelector=metadata.name%3Dw", "u"},
      {"/apis/g/v2/namespaces/n/widgets", "u"},
      {"/apis/h/v1/namespaces/n/widgets", "u"},
      {"/apis/g/v1/namespaces/m/widgets", "u"},
      {"/apis/g/v1/widgets", "u"},
      {"/version", "u"},
  };
  int expected = 0;
  for (const auto& [target, user] : questions) {
    EXPECT_EQ(Ask(target, user), 200);
    EXPECT_EQ(Ask(target + (target.find('?') == std::string::npos ? "?" : "&") + "limit=5", user),
              200);
    EXPECT_EQ(calls(), ++expected) << target;
  }
}

TEST_F(AuthorizationTest, HugeQuestionsAreNotKept) {
  const std::string target = std::string(kList) + "?labelSelector=" + std::string(10'000, 'a');
  EXPECT_EQ(Ask(target), 200);
  EXPECT_EQ(Ask(target), 200);
  EXPECT_EQ(calls(), 2);
}

TEST_F(AuthorizationTest, StrangersDisplaceNoDecisionsOfUsers) {
  EXPECT_EQ(Ask(kList), 200);
  for (int i = 0; i < 9000; ++i) Ask("/x" + std::to_string(i), "system:anonymous");
  const int before = calls();
  EXPECT_EQ(Ask(kList), 200);
  EXPECT_EQ(calls(), before);
}

TEST_F(AuthorizationTest, OneUserDisplacesNoDecisionsOfOthers) {
  EXPECT_EQ(Ask(kList, "alice"), 200);
  for (int i = 0; i < 9000; ++i) Ask("/x" + std::to_string(i), "bob");
  const int before = calls();
  EXPECT_EQ(Ask(kList, "alice"), 200);
  EXPECT_EQ(calls(), before);
}

TEST_F(AuthorizationTest, BypassesAskNobody) {
  Answer(false);
  EXPECT_EQ(Ask("/healthz"), 200);
  http::Request request = MakeReadRequest("GET", "/apis/g/v1");
  request.user.groups = {"system:masters"};
  rest::RecordingWriter writer;
  Handle(Authorized(ServedHandler()), request, writer);
  EXPECT_EQ(writer.status(), 200);
  EXPECT_EQ(calls(), 0);
}

// A watch that writes something every twenty seconds of `clock`, as long as it can.
VoidTask Tell(FakeClock& clock, int times, std::function<void(int)> before, int& told,
              http::ResponseWriter& writer) {
  http::ResponseHead head;
  const absl::Status begun = co_await writer.WriteHead(std::move(head));
  begun.IgnoreError();
  for (int i = 0; i < times; ++i) {
    before(i);
    std::vector<http::Segment> event;
    event.push_back(http::OwnedSegment("event\n"));
    const absl::Status sent = co_await writer.Write(std::move(event));
    if (!sent.ok()) co_return;
    ++told;
    clock.Advance(absl::Seconds(20));
  }
  const absl::Status finished = co_await writer.Finish();
  finished.IgnoreError();
}

TEST_F(AuthorizationTest, AWatchEndsWithItsRights) {
  http::Request request = MakeReadRequest("GET", std::string(kList) + "?watch=1");
  request.user.name = "u";
  rest::RecordingWriter writer;
  int told = 0;
  const auto revoke = [this](int i) {
    if (i == 7) Answer(false);
  };
  Handle(Authorized([&](http::Request&, http::ResponseWriter& w) {
           return Tell(clock_, 100, revoke, told, w);
         }),
         request, writer);
  EXPECT_EQ(writer.status(), 200);
  EXPECT_GE(told, 7);
  EXPECT_LE(told, 10) << "nothing that is more than a minute younger";
  EXPECT_TRUE(writer.finished()) << "in order";
  EXPECT_EQ(writer.misuse(), "");
}

TEST_F(AuthorizationTest, AWatchEndsWithItsCredentials) {
  http::Request request = MakeReadRequest("GET", std::string(kList) + "?watch=1");
  request.user.name = "u";
  request.user.until = clock_.Now() + absl::Seconds(130);
  rest::RecordingWriter writer;
  int told = 0;
  Handle(Authorized([&](http::Request&, http::ResponseWriter& w) {
           return Tell(
               clock_, 100, [](int) {}, told, w);
         }),
         request, writer);
  EXPECT_EQ(told, 7) << "at 0, 20, … 120 seconds";
  EXPECT_TRUE(writer.finished());
}

TEST_F(AuthorizationTest, AWatchWithRightsGoesOnAndAsksOnceAMinute) {
  http::Request request = MakeReadRequest("GET", std::string(kList) + "?watch=1");
  request.user.name = "u";
  rest::RecordingWriter writer;
  int told = 0;
  Handle(Authorized([&](http::Request&, http::ResponseWriter& w) {
           return Tell(
               clock_, 180, [](int) {}, told, w);
         }),
         request, writer);
  EXPECT_EQ(told, 180);
  EXPECT_LE(calls(), 62 + 20) << "in an hour";
  EXPECT_GE(calls(), 45);
}

TEST_F(AuthorizationTest, AWatchThatNobodyDecidesAboutGoesOnForAWhile) {
  http::Request request = MakeReadRequest("GET", std::string(kList) + "?watch=1");
  request.user.name = "u";
  rest::RecordingWriter writer;
  int told = 0;
  const auto outage = [this](int i) {
    if (i > 0)
      client_.FailNext(Verb::kCreate, kube::kSubjectAccessReviews, absl::UnavailableError("down"));
  };
  Handle(Authorized([&](http::Request&, http::ResponseWriter& w) {
           return Tell(clock_, 100, outage, told, w);
         }),
         request, writer);
  EXPECT_EQ(told, 30) << "ten minutes";
  EXPECT_TRUE(writer.finished());
}

}  // namespace
}  // namespace steward::filters
