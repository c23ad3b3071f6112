#include "apiserver/filters/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>

#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/filters/testing/requests.h"
#include "apiserver/rest/testing/recording_writer.h"
#include "base/clock/fake_clock.h"
#include "base/fairness/pool_metrics.h"
#include "base/status/matchers.h"
#include "kube/meta/resources.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"

namespace steward::filters {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

const kube::GroupVersionResource kTokenReviews{"authentication.k8s.io", "v1", "tokenreviews"};

class ChainTest : public ::testing::Test {
 protected:
  ChainTest() {
    hook_.decide = [this](const kube::HookedCall& call) {
      traces_[call.gvr] = call.write->traceparent;
      return kube::HookedFate();
    };
    fake_.HandleCreate(kTokenReviews, [](const json::value& review) {
      return json::value{{"status",
                          {{"authenticated", true},
                           {"user", {{"username", review.at("spec").at("token").as_string()}}}}}};
    });
    fake_.HandleCreate(kube::kSubjectAccessReviews, [](const json::value& review) {
      return json::value{{"status", {{"allowed", review.at("spec").at("user") == "alice"}}}};
    });
  }

  http::Handler Chain(http::Handler api) {
    return BuildHandlerChain(std::move(api),
                             {.clock = clock_,
                              .random = random_,
                              .metrics = metrics_,
                              .authenticator = authenticator_,
                              .always_allowed = *AlwaysAllowed::Create({"/healthz"}),
                              .authorizer = authorizer_,
                              .pool_metrics = pool_metrics_,
                              .in_flight = {}});
  }

  FakeClock clock_;
  FixedRandom random_{0.25};
  kube::FakeClient fake_;
  kube::Hook hook_;
  kube::HookClient client_{fake_, hook_};
  std::map<kube::GroupVersionResource, std::string> traces_;  // of reviews
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
};

TEST_F(ChainTest, WhoGetsWhat) {
  struct Row {
    std::string target;
    std::vector<std::pair<std::string, std::string>> headers;
    int want;
  };
  const Row rows[] = {
      {"/healthz", {}, 200},
      {"/apis/g/v1/widgets", {}, 403},
      {"/apis/g/v1/widgets", {{"Authorization", "Bearer alice"}}, 200},
      {"/apis/g/v1/widgets", {{"Authorization", "Bearer bob"}}, 403},
      {"/apis/g/v1/widgets",
       {{"Authorization", "Bearer alice"}, {"Impersonate-User", "root"}},
       403},
      {"/apis/g/v1/widgets?timeout=x", {{"Authorization", "Bearer alice"}}, 400},
      {"/api/v1/watch", {{"Authorization", "Bearer alice"}}, 500},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.target);
    http::Request request = MakeRequest("GET", row.target);
    for (const auto& [name, value] : row.headers) request.headers.Add(name, value);
    rest::RecordingWriter writer;
    Handle(Chain(ServedHandler()), request, writer);
    EXPECT_EQ(writer.status(), row.want) << writer.body();
    EXPECT_NE(writer.Header("Audit-Id"), "");
    EXPECT_EQ(writer.Header("Cache-Control"), "no-cache, private");
    EXPECT_EQ(writer.misuse(), "");
    EXPECT_TRUE(writer.finished());
  }
  const std::string text = prometheus::TextSerializer().Serialize(registry_.Collect());
  EXPECT_THAT(text, HasSubstr(R"(apiserver_request_total{code="403",component="apiserver")"));
}

TEST_F(ChainTest, HandlerSeesTheWholeRequest) {
  http::Request request = MakeRequest("GET", "/apis/g/v1/namespaces/n/widgets?watch=1");
  request.headers.Add("Authorization", "Bearer alice");
  request.headers.Add("Audit-Id", "id-1");
  rest::RecordingWriter writer;
  int calls = 0;
  Handle(Chain([&calls](http::Request& r, http::ResponseWriter& w) {
           ++calls;
           EXPECT_EQ(r.user.name, "alice");
           EXPECT_EQ(r.audit_id, "id-1");
           EXPECT_EQ(r.info.verb, "watch");
           EXPECT_EQ(r.headers.Find("Authorization"), nullptr);
           return ServedHandler()(r, w);
         }),
         request, writer);
  EXPECT_EQ(calls, 1);
}

// Reviews made for a request belong to its trace.
TEST_F(ChainTest, ReviewsAreInTheRequestsTrace) {
  const std::string trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  http::Request request = MakeRequest("GET", "/apis/g/v1/widgets");
  request.headers.Add("Authorization", "Bearer alice");
  request.headers.Add("traceparent", trace);
  rest::RecordingWriter writer;
  Handle(Chain(ServedHandler()), request, writer);
  EXPECT_EQ(writer.status(), 200);
  EXPECT_EQ(traces_[kTokenReviews], trace);
  EXPECT_EQ(traces_[kube::kSubjectAccessReviews], trace);
}

}  // namespace
}  // namespace steward::filters
