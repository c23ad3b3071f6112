#include "controllers/rpc/bridge/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/async/run.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"

namespace steward::rpc {
namespace {

namespace json = boost::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};

class AccessTest : public ::testing::Test {
 protected:
  AccessTest() {
    cluster_.Serve(kube::kSubjectAccessReviews);
    cluster_.HandleCreate(kube::kSubjectAccessReviews,
                          [this](const json::value& review) -> absl::StatusOr<json::value> {
                            asked_.push_back(Serialize(review.at("spec")));
                            json::value answer = review;
                            answer.as_object()["status"] = answer_;
                            return answer;
                          });
  }
  absl::StatusOr<bool> Allows(Access::Answer answer = Access::Answer::kKept) {
    return RunOn(io_, access_.Allows(alice_, what_, answer));
  }
  absl::Status Check() { return RunOn(io_, access_.Check(alice_, what_)); }

  boost::asio::io_context io_{1};
  FakeClock clock_;
  kube::FakeClient cluster_;
  Access access_{cluster_, clock_};
  Requester alice_{{"alice", "", {"dev"}}};
  AccessAttributes what_{"list", kWidgets, "", "a", ""};
  json::object answer_{{"allowed", true}};
  std::vector<std::string> asked_;
};

TEST_F(AccessTest, AsksForTheUserWithEverythingKnownOfIt) {
  alice_.user.uid = "u-1";
  alice_.user.extra = {{"scopes", {"read"}}};
  what_.subresource = "scale";
  what_.name = "w";
  EXPECT_THAT(Allows(), IsOkAndHolds(true));
  EXPECT_THAT(asked_, ElementsAre(R"({"resourceAttributes":{"namespace":"a","verb":"list",)"
                                  R"("group":"example.com","version":"v1","resource":"widgets",)"
                                  R"("subresource":"scale","name":"w"},"user":"alice",)"
                                  R"("uid":"u-1","groups":["dev"],"extra":{"scopes":["read"]}})"));
}

TEST_F(AccessTest, KeepsAnswersForAShortTime) {
  EXPECT_THAT(Allows(), IsOkAndHolds(true));
  answer_["allowed"] = false;
  clock_.Advance(absl::Seconds(9));
  EXPECT_THAT(Allows(), IsOkAndHolds(true));
  EXPECT_EQ(asked_.size(), 1u);
  clock_.Advance(absl::Seconds(2));
  EXPECT_THAT(Allows(), IsOkAndHolds(false));
  answer_["allowed"] = true;
  clock_.Advance(absl::Seconds(4));
  EXPECT_THAT(Allows(), IsOkAndHolds(false));
  clock_.Advance(absl::Seconds(2));
  EXPECT_THAT(Allows(), IsOkAndHolds(true));
}

TEST_F(AccessTest, KeptAnswersAreOfOneQuestion) {
  EXPECT_THAT(Allows(), IsOkAndHolds(true));
  answer_["allowed"] = false;
  what_.ns = "b";
  EXPECT_THAT(Allows(), IsOkAndHolds(false));
  what_.ns = "a";
  alice_.user.name = "bob";
  EXPECT_THAT(Allows(), IsOkAndHolds(false));
}

TEST_F(AccessTest, AFreshAnswerIsAskedFor) {
  EXPECT_THAT(Allows(), IsOkAndHolds(true));
  answer_["allowed"] = false;
  EXPECT_THAT(Allows(Access::Answer::kFresh), IsOkAndHolds(false));
}

TEST_F(AccessTest, DeniedIsStrongerThanAllowed) {
  answer_["denied"] = true;
  EXPECT_THAT(Allows(), IsOkAndHolds(false));
}

TEST_F(AccessTest, RefusalsAreInKubernetesWords) {
  answer_ = {{"allowed", false}, {"reason", "not today"}};
  const kube::Status status = kube::FromStatus(Check());
  EXPECT_EQ(status.code, 403);
  EXPECT_THAT(status.message, HasSubstr(R"(User "alice" cannot list resource "widgets" in API )"
                                        R"(group "example.com" in the namespace "a": not today)"));
}

TEST_F(AccessTest, MastersAreNotAskedFor) {
  answer_["allowed"] = false;
  alice_.user.groups = {"system:masters"};
  EXPECT_OK(Check());
  EXPECT_THAT(asked_, IsEmpty());
}

TEST_F(AccessTest, NobodyDecidedIsNotAllowedAndNotKept) {
  cluster_.FailNext(kube::ClientVerb::kCreate, kube::kSubjectAccessReviews,
                    absl::UnavailableError("no route"));
  EXPECT_EQ(kube::FromStatus(Check()).code, 503);
  EXPECT_OK(Check());
  answer_.clear();
  what_.ns = "b";
  EXPECT_THAT(Allows(), IsOkAndHolds(false));
}

TEST_F(AccessTest, SilenceIsNotAllowed) {
  cluster_.Hold(kube::ClientVerb::kCreate, kube::kSubjectAccessReviews);
  absl::Status status;
  boost::asio::co_spawn(io_, access_.Check(alice_, what_),
                        [&status](std::exception_ptr, absl::Status end) { status = end; });
  io_.poll();
  clock_.Advance(absl::Seconds(11));
  io_.restart();
  io_.run();
  EXPECT_EQ(kube::FromStatus(status).code, 503);
}

}  // namespace
}  // namespace steward::rpc
