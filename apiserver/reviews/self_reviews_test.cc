#include "apiserver/reviews/self_reviews.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/reviewer.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/json/json_text.h"
#include "base/splice/rope.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::reviews {
namespace {

namespace json = boost::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Allows "alice" everything, others every request about "pods"; records the requests.
class FakeAuthorizer : public filters::Authorizer {
 public:
  Task<filters::Decision> Authorize(const http::Request& request) override {
    asked.push_back(request);
    if (!failure.ok()) co_return failure;
    filters::Decision decision;
    decision.allowed = request.user.name == "alice" || request.info.resource == "pods";
    decision.reason = decision.allowed ? "" : "no pods";
    co_return decision;
  }
  std::vector<http::Request> asked;
  absl::Status failure;
};

class SelfReviewsTest : public testing::Test {
 protected:
  absl::StatusOr<std::string> Ask(size_t which, const kube::UserInfo& user,
                                  const std::string& question) {
    const std::vector<rest::Resource> resources = SelfReviews(always_allowed_, authorizer_);
    boost::asio::io_context io;
    rest::ReviewRequest request;
    request.question = ParseJson(question)->as_object();
    auto answer = RunOn(io, resources.at(which).review->Review(user, std::move(request)));
    if (!answer.ok()) return answer.status();
    Rope json;
    answer->object->AppendJson("", json);
    return json.Flatten();
  }
  absl::StatusOr<std::string> AskAccess(const kube::UserInfo& user, const std::string& question) {
    return Ask(0, user, question);
  }
  absl::StatusOr<std::string> AskRules(const kube::UserInfo& user, const std::string& question) {
    return Ask(1, user, question);
  }

  const kube::UserInfo admin_{"admin", "", {"system:masters"}, {}};
  const kube::UserInfo alice_{"alice", "", {}, {}};
  const kube::UserInfo bob_{"bob", "", {}, {}};
  const filters::AlwaysAllowed always_allowed_ = *filters::AlwaysAllowed::Create({"/healthz"});
  FakeAuthorizer authorizer_;
};

constexpr char kPods[] = R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})";
constexpr char kPlans[] = R"({"spec":{"resourceAttributes":{"verb":"list","group":"g",)"
                          R"("version":"v1","namespace":"n","resource":"plans",)"
                          R"("subresource":"status","name":"p"}}})";

TEST_F(SelfReviewsTest, Resources) {
  const std::vector<rest::Resource> resources = SelfReviews(always_allowed_, authorizer_);
  ASSERT_EQ(resources.size(), 2u);
  EXPECT_EQ(resources[0].descriptor.plural, "selfsubjectaccessreviews");
  EXPECT_EQ(resources[1].descriptor.plural, "selfsubjectrulesreviews");
  for (const rest::Resource& resource : resources) {
    EXPECT_THAT(resource.Verbs(), ElementsAre("create"));
    EXPECT_EQ(resource.descriptor.gvk.ApiVersion(), "authorization.k8s.io/v1");
    EXPECT_FALSE(resource.descriptor.namespaced);
    EXPECT_TRUE(resource.accepts_protobuf);
    EXPECT_OK(ParseJson(resource.openapi_schema).status());
  }
}

TEST_F(SelfReviewsTest, AccessIsTheAuthorizersDecision) {
  const struct {
    kube::UserInfo user;
    std::string question;
    std::string want;
  } kRows[] = {
      {bob_, kPods,
       R"({"kind":"SelfSubjectAccessReview","apiVersion":"authorization.k8s.io/v1","metadata":{},)"
       R"("spec":{"resourceAttributes":{"verb":"get","resource":"pods"}},)"
       R"("status":{"allowed":true}})"},
      {bob_, kPlans, R"("status":{"allowed":false,"reason":"no pods"}})"},
      {alice_, kPlans, R"("status":{"allowed":true}})"},
      {admin_, kPlans, R"("status":{"allowed":true}})"},
      {bob_, R"({"spec":{"nonResourceAttributes":{"path":"/healthz","verb":"get"}}})",
       R"("status":{"allowed":true}})"},
      {bob_, R"({"spec":{"nonResourceAttributes":{"path":"/logs","verb":"get"}}})",
       R"("status":{"allowed":false,"reason":"no pods"}})"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.user.name + row.question);
    EXPECT_THAT(AskAccess(row.user, row.question), IsOkAndHolds(HasSubstr(row.want)));
  }
}

TEST_F(SelfReviewsTest, TheAuthorizerIsAskedInTheRequestersName) {
  ASSERT_OK(AskAccess(bob_, kPlans));
  ASSERT_OK(AskAccess(bob_, R"({"spec":{"nonResourceAttributes":{"path":"/x","verb":"put"}}})"));
  ASSERT_EQ(authorizer_.asked.size(), 2u);
  const http::Request& plans = authorizer_.asked[0];
  EXPECT_EQ(plans.user.name, "bob");
  EXPECT_TRUE(plans.info.is_resource);
  EXPECT_EQ(plans.info.verb, "list");
  EXPECT_EQ(plans.info.group, "g");
  EXPECT_EQ(plans.info.version, "v1");
  EXPECT_EQ(plans.info.ns, "n");
  EXPECT_EQ(plans.info.resource, "plans");
  EXPECT_EQ(plans.info.subresource, "status");
  EXPECT_EQ(plans.info.name, "p");
  EXPECT_GT(plans.target.size(), 50u);
  const http::Request& path = authorizer_.asked[1];
  EXPECT_FALSE(path.info.is_resource);
  EXPECT_EQ(path.path, "/x");
  EXPECT_EQ(path.info.verb, "put");

  authorizer_.asked.clear();
  ASSERT_OK(AskAccess(admin_, kPlans));
  EXPECT_THAT(authorizer_.asked, IsEmpty());
}

TEST_F(SelfReviewsTest, ExactlyOneQuestion) {
  const struct {
    std::string question;
    std::string message;
  } kRows[] = {
      {"{}",
       "SelfSubjectAccessReview.authorization.k8s.io \"\" is invalid: spec.resourceAttributes: "
       "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be "
       "specified"},
      {R"({"spec":{"resourceAttributes":7}})", "must be specified"},
      {R"({"spec":{"resourceAttributes":{},"nonResourceAttributes":{"path":"/"}}})",
       "spec.nonResourceAttributes: Invalid value: {\"path\":\"/\"}: cannot be specified in "
       "combination with resourceAttributes"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.question);
    const kube::Status error = kube::FromStatus(AskAccess(bob_, row.question).status());
    EXPECT_EQ(error.code, 422);
    EXPECT_THAT(error.message, HasSubstr(row.message));
  }
  EXPECT_THAT(authorizer_.asked, IsEmpty());
}

TEST_F(SelfReviewsTest, NobodyDecides) {
  authorizer_.failure = absl::InternalError("secret");
  EXPECT_THAT(
      AskAccess(bob_, kPods),
      IsOkAndHolds(HasSubstr(R"("status":{"allowed":false,"evaluationError":"nobody decided"}})")));
  EXPECT_THAT(AskRules(bob_, R"({"spec":{"namespace":"n"}})"),
              IsOkAndHolds(HasSubstr(R"("incomplete":true)")));
  authorizer_.failure = kube::ToStatus(kube::TooManyRequests("later", 1));
  EXPECT_TRUE(kube::HasReason(AskAccess(bob_, kPods).status(), "TooManyRequests"));
  EXPECT_TRUE(
      kube::HasReason(AskRules(bob_, R"({"spec":{"namespace":"n"}})").status(), "TooManyRequests"));
}

TEST_F(SelfReviewsTest, Rules) {
  const std::string all =
      R"({"kind":"SelfSubjectRulesReview","apiVersion":"authorization.k8s.io/v1","metadata":{},)"
      R"("spec":{"namespace":"n"},"status":{"resourceRules":[)"
      R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]}],)"
      R"("nonResourceRules":[{"verbs":["*"],"nonResourceURLs":["*"]}],"incomplete":false}})";
  const std::string question = R"({"spec":{"namespace":"n"}})";
  EXPECT_THAT(AskRules(admin_, question), IsOkAndHolds(all));
  EXPECT_THAT(authorizer_.asked, IsEmpty());
  EXPECT_THAT(AskRules(alice_, question), IsOkAndHolds(all));
  EXPECT_EQ(authorizer_.asked.at(0).info.ns, "n");
  EXPECT_THAT(AskRules(bob_, question),
              IsOkAndHolds(HasSubstr(
                  R"("status":{"resourceRules":[],"nonResourceRules":[],"incomplete":true,)"
                  R"("evaluationError":"this server can decide about requests, but not list)")));
  for (const char* without : {"{}", R"({"spec":{}})", R"({"spec":{"namespace":""}})"}) {
    EXPECT_TRUE(kube::HasReason(AskRules(bob_, without).status(), "BadRequest")) << without;
  }
}

}  // namespace
}  // namespace steward::reviews
