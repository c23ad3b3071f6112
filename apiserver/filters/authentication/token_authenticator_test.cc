#include "apiserver/filters/authentication/token_authenticator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <vector>

#include "apiserver/filters/fairness/flow.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/fairness/pool_metrics.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"
#include "kube/testing/fake_client.h"

namespace steward::filters {
namespace {

namespace asio = boost::asio;
namespace json = boost::json;
using ::testing::HasSubstr;
using User = std::optional<kube::UserInfo>;
using Verb = kube::FakeClient::Verb;

const kube::GroupVersionResource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews"};

VoidTask Ask(TokenAuthenticator& tokens, std::string token,
             std::vector<absl::StatusOr<User>>& answers, std::string source = "10.0.0.1") {
  ReviewOrigin origin{Flow{std::move(source), true}, ""};
  absl::StatusOr<User> answer = co_await tokens.Authenticate(std::move(origin), std::move(token));
  answers.push_back(std::move(answer));
}

class TokenAuthenticatorTest : public ::testing::Test {
 protected:
  TokenAuthenticatorTest() {
    client_.HandleCreate(kTokenReviews, [this](const json::value& review) {
      last_review_ = review;
      return answer_;
    });
  }
  ~TokenAuthenticatorTest() override { RunOn(io_, group_.Stop()); }

  void Settle() {
    for (int i = 0; i < 3; ++i) {
      io_.restart();
      io_.poll();
    }
  }
  // Authenticates, and advances the clock by all the time that retries may take.
  absl::StatusOr<User> AskNow(const std::string& token) {
    std::vector<absl::StatusOr<User>> answers;
    TaskGroup group(io_.get_executor());
    group.Spawn("ask", Ask(tokens_, token, answers));
    Settle();
    for (int i = 0; i < 20 && answers.empty(); ++i) {
      clock_.Advance(absl::Milliseconds(500));
      Settle();
    }
    RunOn(io_, group.Stop());
    if (answers.empty()) return absl::InternalError("no answer");
    return std::move(answers[0]);
  }
  int calls() { return client_.calls(Verb::kCreate, kTokenReviews); }

  asio::io_context io_;
  FakeClock clock_;
  FixedRandom random_{0};
  kube::FakeClient client_;
  prometheus::Registry registry_;
  ReviewMetrics metrics_{registry_, ReviewMetrics::Kind::kAuthentication};
  PoolMetrics pools_{registry_};
  Reviewer reviewer_{client_, clock_, random_, metrics_, pools_, "token-reviews"};
  TokenAuthenticator tokens_{reviewer_, clock_};
  json::value last_review_;
  json::value answer_ = {{"status", {{"authenticated", true}, {"user", {{"username", "u"}}}}}};
  const json::value rejected_ = {{"status", {{"authenticated", false}}}};
  TaskGroup group_{io_.get_executor()};
};

TEST_F(TokenAuthenticatorTest, AsksAsKubernetesDoes) {
  ASSERT_OK_AND_ASSIGN(const User user, AskNow("t0ken"));
  ASSERT_TRUE(user.has_value());
  EXPECT_EQ(user->name, "u");
  const json::value want = {{"apiVersion", "authentication.k8s.io/v1"},
                            {"kind", "TokenReview"},
                            {"metadata", json::object()},
                            {"spec", {{"token", "t0ken"}}}};
  EXPECT_EQ(last_review_, want);
}

TEST_F(TokenAuthenticatorTest, AUserIsThereUntilItsTokenEnds) {
  ASSERT_OK_AND_ASSIGN(const User opaque, AskNow("opaque"));
  EXPECT_EQ(opaque->until, std::nullopt);
  ASSERT_OK_AND_ASSIGN(const User user, AskNow("e30.eyJleHAiOjE3MDAwMDAwMDB9.c2ln"));
  EXPECT_EQ(user->until, absl::FromUnixSeconds(1'700'000'000));
}

TEST_F(TokenAuthenticatorTest, GoodAndBadAreKeptForTenSeconds) {
  for (const bool good : {true, false}) {
    SCOPED_TRACE(good);
    if (!good) answer_ = rejected_;
    const std::string token = good ? "good" : "bad";
    const int before = calls();
    for (int i = 0; i < 3; ++i) {
      ASSERT_OK_AND_ASSIGN(const User user, AskNow(token));
      EXPECT_EQ(user.has_value(), good);
    }
    EXPECT_EQ(calls(), before + 1);
    clock_.Advance(absl::Seconds(10));
    ASSERT_OK(AskNow(token));
    EXPECT_EQ(calls(), before + 2);
  }
}

TEST_F(TokenAuthenticatorTest, OneReviewForAllWhoWait) {
  client_.Hold(Verb::kCreate, kTokenReviews);
  std::vector<absl::StatusOr<User>> answers;
  for (int i = 0; i < 5; ++i) group_.Spawn("ask", Ask(tokens_, "t", answers));
  Settle();
  EXPECT_EQ(calls(), 1);
  client_.Release(Verb::kCreate, kTokenReviews);
  Settle();
  EXPECT_EQ(answers.size(), 5u);
  EXPECT_EQ(calls(), 1);
}

TEST_F(TokenAuthenticatorTest, PassingTroubleIsRetried) {
  const absl::Status troubles[] = {
      kube::ToStatus(kube::TooManyRequests("busy", 1)),
      kube::ToStatus(kube::InternalError("etcd")),
      absl::UnavailableError("connection refused"),
  };
  for (const absl::Status& trouble : troubles) {
    SCOPED_TRACE(trouble);
    const int before = calls();
    client_.FailNext(Verb::kCreate, kTokenReviews, trouble, 4);
    EXPECT_OK(AskNow("t" + std::to_string(before)));
    EXPECT_EQ(calls(), before + 5);
  }
}

TEST_F(TokenAuthenticatorTest, LastingTroubleIsAnErrorAndNotKept) {
  client_.FailNext(Verb::kCreate, kTokenReviews, absl::UnavailableError("connection refused"), 5);
  EXPECT_THAT(AskNow("t"), StatusIs(absl::StatusCode::kUnavailable));
  EXPECT_EQ(calls(), 5);
  EXPECT_OK(AskNow("t"));
}

TEST_F(TokenAuthenticatorTest, RefusedReviewIsNotRetried) {
  client_.FailNext(Verb::kCreate, kTokenReviews,
                   kube::ToStatus(kube::Forbidden(kTokenReviews, "", "no")));
  EXPECT_THAT(AskNow("t"), StatusIs(absl::StatusCode::kPermissionDenied));
  EXPECT_EQ(calls(), 1);
}

TEST_F(TokenAuthenticatorTest, SilenceEndsAfterTenSeconds) {
  client_.Hold(Verb::kCreate, kTokenReviews);
  std::vector<absl::StatusOr<User>> answers;
  group_.Spawn("ask", Ask(tokens_, "t", answers));
  Settle();
  clock_.Advance(absl::Seconds(9));
  Settle();
  EXPECT_TRUE(answers.empty());
  clock_.Advance(absl::Seconds(1));
  Settle();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_THAT(answers[0], StatusIs(absl::StatusCode::kDeadlineExceeded));
  EXPECT_EQ(calls(), 1);
}

TEST_F(TokenAuthenticatorTest, FloodIsNotPassedOn) {
  const ReviewerOptions few{.stranger_places = 2, .waiting_per_place = 0};
  Reviewer bounded(client_, clock_, random_, metrics_, pools_, "few", few);
  TokenAuthenticator tokens(bounded, clock_);
  client_.Hold(Verb::kCreate, kTokenReviews);
  std::vector<absl::StatusOr<User>> answers;
  for (int i = 0; i < 5; ++i) group_.Spawn("ask", Ask(tokens, "t" + std::to_string(i), answers));
  Settle();
  EXPECT_EQ(calls(), 2);
  ASSERT_EQ(answers.size(), 3u);
  for (const auto& answer : answers)
    EXPECT_TRUE(kube::HasReason(answer.status(), "TooManyRequests"));
  client_.Release(Verb::kCreate, kTokenReviews);
  Settle();
  EXPECT_EQ(answers.size(), 5u);
  group_.Spawn("ask", Ask(tokens, "t0", answers));
  Settle();
  EXPECT_OK(answers.back());
}

TEST_F(TokenAuthenticatorTest, MadeUpTokensTakeNothingFromUsers) {
  const ReviewerOptions few{.stranger_places = 1, .waiting_per_place = 2};
  Reviewer bounded(client_, clock_, random_, metrics_, pools_, "few", few);
  TokenAuthenticator tokens(bounded, clock_);
  std::vector<absl::StatusOr<User>> answers;
  group_.Spawn("ask", Ask(tokens, "good", answers));
  Settle();
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_OK(answers[0]);
  answer_ = rejected_;
  // More tokens than any memory has room for.
  for (int i = 0; i < 6000; ++i) {
    group_.Spawn("ask", Ask(tokens, "bad" + std::to_string(i), answers, std::to_string(i % 50)));
    Settle();
  }
  const int before = calls();
  group_.Spawn("ask", Ask(tokens, "good", answers));
  Settle();
  ASSERT_OK(answers.back());
  EXPECT_TRUE(answers.back()->has_value());
  EXPECT_EQ(calls(), before) << "it was remembered";

  // The good token also has a place when it must be judged anew.
  clock_.Advance(absl::Seconds(10));
  answer_ = {{"status", {{"authenticated", true}, {"user", {{"username", "u"}}}}}};
  client_.Hold(Verb::kCreate, kTokenReviews);
  std::vector<absl::StatusOr<User>> strangers;
  for (int i = 0; i < 10; ++i) {
    group_.Spawn("ask", Ask(tokens, "new" + std::to_string(i), strangers));
  }
  group_.Spawn("ask", Ask(tokens, "good", answers));
  Settle();
  EXPECT_EQ(calls(), before + 2) << "one stranger's and the user's";
  client_.Release(Verb::kCreate, kTokenReviews);
  Settle();
  EXPECT_OK(answers.back());
}

TEST_F(TokenAuthenticatorTest, FirstSeenTokensAreLimitedPerSource) {
  TokenAuthenticator tokens(reviewer_, clock_, absl::Seconds(10), {.per_second = 1, .burst = 3});
  std::vector<absl::StatusOr<User>> answers;
  const auto ask = [&](const std::string& token, const std::string& source) {
    group_.Spawn("ask", Ask(tokens, token, answers, source));
    Settle();
    return answers.back().ok();
  };
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask("t" + std::to_string(i), "a"));
  EXPECT_FALSE(ask("t3", "a"));
  EXPECT_TRUE(kube::HasReason(answers.back().status(), "TooManyRequests"));
  EXPECT_TRUE(ask("t3", "b"));
  EXPECT_TRUE(ask("t0", "a")) << "kept";
  clock_.Advance(absl::Seconds(10));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(ask("n" + std::to_string(i), "a"));
  EXPECT_FALSE(ask("n3", "a"));
  EXPECT_TRUE(ask("t0", "a")) << "was good a moment ago";
}

TEST_F(TokenAuthenticatorTest, OddAnswersAreErrors) {
  const json::value answers[] = {
      {{"status", {{"authenticated", false}, {"error", "webhook down"}}}},
      {{"status", {{"authenticated", true}}}},
      {{"status", {{"authenticated", true}, {"user", json::object()}}}},
      {{"status", {{"authenticated", true}, {"user", "root"}}}},
      json::object(),
      "text",
      nullptr,
  };
  for (const json::value& answer : answers) {
    answer_ = answer;
    const int before = calls();
    EXPECT_FALSE(AskNow("t").ok());
    EXPECT_FALSE(AskNow("t").ok());
    EXPECT_EQ(calls(), before + 2);
  }
  // The string "true" is not true.
  answer_ = {{"status", {{"authenticated", "true"}, {"user", {{"username", "u"}}}}}};
  ASSERT_OK_AND_ASSIGN(const User user, AskNow("t"));
  EXPECT_FALSE(user.has_value());
}

TEST_F(TokenAuthenticatorTest, CallsAreCounted) {
  ASSERT_OK(AskNow("a"));
  client_.FailNext(Verb::kCreate, kTokenReviews, kube::ToStatus(kube::InternalError("x")));
  client_.FailNext(Verb::kCreate, kTokenReviews, absl::UnavailableError("refused"));
  ASSERT_OK(AskNow("b"));
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_THAT(text, HasSubstr("apiserver_delegated_authn_request_total{code=\"201\"} 2"));
  EXPECT_THAT(text, HasSubstr("apiserver_delegated_authn_request_total{code=\"500\"} 1"));
  EXPECT_THAT(text, HasSubstr("apiserver_delegated_authn_request_total{code=\"<error>\"} 1"));
}

}  // namespace
}  // namespace steward::filters
