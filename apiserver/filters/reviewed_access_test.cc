#include "apiserver/filters/reviewed_access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>

#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/clock/fake_clock.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"

namespace steward::filters {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;
using Headers = std::vector<std::pair<std::string, std::string>>;
using Verb = kube::FakeClient::Verb;

const kube::GroupVersionResource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews"};

// A fixture in which tokens are "good-NAME" and prometheus may get /metrics.
class ReviewedAccessTest : public ::testing::Test {
 protected:
  ReviewedAccessTest() {
    client_.HandleCreate(kTokenReviews, [](const json::value& review) {
      const std::string token = json::value_to<std::string>(review.at("spec").at("token"));
      if (!token.starts_with("good-")) return json::value{{"status", {{"authenticated", false}}}};
      return json::value{
          {"status", {{"authenticated", true}, {"user", {{"username", token.substr(5)}}}}}};
    });
    client_.HandleCreate(kube::kSubjectAccessReviews, [](const json::value& review) {
      const json::value& spec = review.at("spec");
      const json::value wanted{{"path", "/metrics"}, {"verb", "get"}};
      const bool allowed =
          spec.at("user") == "prometheus" && spec.at("nonResourceAttributes") == wanted;
      return json::value{{"status", {{"allowed", allowed}, {"reason", "because"}}}};
    });
  }

  rest::RecordingWriter Ask(const std::string& target, const Headers& headers) {
    http::Request request = MakeRequest("GET", target);
    for (const auto& [name, value] : headers) request.headers.Add(name, value);
    rest::RecordingWriter writer;
    Handle(access_.Guard([this](http::Request& served, http::ResponseWriter& response) {
      EXPECT_EQ(served.headers.Find("Authorization"), nullptr);
      ++served_;
      return ServedHandler()(served, response);
    }),
           request, writer);
    return writer;
  }

  FakeClock clock_;
  FixedRandom random_{0.5};
  kube::FakeClient client_;
  prometheus::Registry registry_;
  ReviewedAccess access_{client_, clock_, random_, registry_};
  int served_ = 0;
};

TEST_F(ReviewedAccessTest, WhoGetsWhat) {
  const struct {
    std::string name;
    std::string target;
    Headers headers;
    int want;
  } kRows[] = {
      {"nobody", "/metrics", {}, 401},
      {"made-up token", "/metrics", {{"Authorization", "Bearer x"}}, 401},
      {"another scheme", "/metrics", {{"Authorization", "Basic cHJvbWV0aGV1czp4"}}, 401},
      {"claims a name", "/metrics", {{"X-Remote-User", "prometheus"}}, 401},
      {"without the right", "/metrics", {{"Authorization", "Bearer good-tom"}}, 403},
      {"with the right", "/metrics", {{"Authorization", "Bearer good-prometheus"}}, 200},
      {"to something else", "/debug", {{"Authorization", "Bearer good-prometheus"}}, 403},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    served_ = 0;
    const rest::RecordingWriter answer = Ask(row.target, row.headers);
    EXPECT_EQ(answer.status(), row.want) << answer.body();
    EXPECT_EQ(served_, row.want == 200 ? 1 : 0);
    EXPECT_TRUE(answer.finished());
    EXPECT_EQ(answer.misuse(), "");
  }
}

TEST_F(ReviewedAccessTest, ARefusalSaysWhatWasRefused) {
  const rest::RecordingWriter answer = Ask("/metrics", {{"Authorization", "Bearer good-tom"}});
  EXPECT_THAT(answer.body(), HasSubstr("forbidden: User \\\"tom\\\" cannot get path "));
  EXPECT_THAT(answer.body(), HasSubstr("because"));
}

TEST_F(ReviewedAccessTest, NobodyIsLetInWhereNobodyDecided) {
  client_.FailNext(Verb::kCreate, kube::kSubjectAccessReviews, absl::PermissionDeniedError("no"));
  EXPECT_EQ(Ask("/metrics", {{"Authorization", "Bearer good-prometheus"}}).status(), 500);
  client_.FailNext(Verb::kCreate, kTokenReviews, absl::PermissionDeniedError("no"));
  EXPECT_EQ(Ask("/metrics", {{"Authorization", "Bearer good-other"}}).status(), 401);
  EXPECT_EQ(served_, 0);
}

TEST_F(ReviewedAccessTest, AnswersAreKeptForAWhile) {
  const Headers headers = {{"Authorization", "Bearer good-prometheus"}};
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Ask("/metrics", headers).status(), 200);
  EXPECT_EQ(client_.calls(Verb::kCreate, kTokenReviews), 1);
  EXPECT_EQ(client_.calls(Verb::kCreate, kube::kSubjectAccessReviews), 1);
  clock_.Advance(absl::Seconds(11));
  EXPECT_EQ(Ask("/metrics", headers).status(), 200);
  EXPECT_EQ(client_.calls(Verb::kCreate, kTokenReviews), 2);
  EXPECT_EQ(client_.calls(Verb::kCreate, kube::kSubjectAccessReviews), 2);
}

}  // namespace
}  // namespace steward::filters
