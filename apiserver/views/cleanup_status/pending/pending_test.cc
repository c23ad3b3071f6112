#include "apiserver/views/cleanup_status/pending/pending.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "base/async/run.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/meta/user_info.h"

namespace steward::views {
namespace {

using ::testing::ElementsAre;

class FakeUpstream : public upstream::PendingOperands {
 public:
  Task<upstream::PendingPage> ListPending(upstream::Asker asker, kube::NamespacedName csv,
                                          int64_t limit, std::string continue_token) override {
    asked_by = std::move(asker);
    asked = std::move(csv);
    asked_limit = limit;
    asked_token = std::move(continue_token);
    co_return answer;
  }
  upstream::Asker asked_by;
  kube::NamespacedName asked;
  int64_t asked_limit = 0;
  std::string asked_token;
  absl::StatusOr<upstream::PendingPage> answer;
};

class PendingViewTest : public ::testing::Test {
 protected:
  PendingViewTest() {
    user_.name = "alice";
    user_.uid = "u-1";
    user_.groups = {"dev"};
    user_.extra = {{"scopes", {"read"}}};
  }
  absl::StatusOr<std::string> Get(int64_t limit = 0, const std::string& token = "") {
    rest::PageRequest request;
    request.name = {"ops", "w.v1"};
    request.limit = limit;
    request.continue_token = token;
    request.audit_id = "id-1";
    request.traceparent = "00-trace";
    return RunOn(io_, view_.GetPage(user_, request));
  }
  boost::asio::io_context io_{1};
  kube::UserInfo user_;
  FakeUpstream upstream_;
  PendingView view_{upstream_};
};

TEST_F(PendingViewTest, APageAsJson) {
  upstream::PendingPage page;
  page.operands.push_back({"example.com",
                           "Widget",
                           "widgets",
                           {"a", "one"},
                           "uid-1",
                           "2026-01-01T00:00:00Z",
                           {"example.com/f"}});
  page.operands.push_back({"example.com", "Gadget", "gadgets", {"", "wide"}, "uid-2", "", {}});
  page.continue_token = "next";
  page.remaining = 7;
  page.hidden = 3;
  upstream_.answer = page;
  EXPECT_THAT(
      Get(2, "before"),
      IsOkAndHolds(
          R"({"kind":"PendingOperandList","apiVersion":"views.operators.coreos.com/v1alpha1",)"
          R"("metadata":{"continue":"next","remainingItemCount":7},"items":[)"
          R"({"group":"example.com","kind":"Widget","plural":"widgets","namespace":"a",)"
          R"("name":"one","uid":"uid-1","deletionTimestamp":"2026-01-01T00:00:00Z",)"
          R"("finalizers":["example.com/f"]},)"
          R"({"group":"example.com","kind":"Gadget","plural":"gadgets","name":"wide",)"
          R"("uid":"uid-2"}],"hidden":3})"));
  EXPECT_EQ(upstream_.asked, (kube::NamespacedName{"ops", "w.v1"}));
  EXPECT_EQ(upstream_.asked_limit, 2);
  EXPECT_EQ(upstream_.asked_token, "before");
  EXPECT_EQ(upstream_.asked_by.user, user_);
  EXPECT_EQ(upstream_.asked_by.audit_id, "id-1");
  EXPECT_EQ(upstream_.asked_by.traceparent, "00-trace");
}

TEST_F(PendingViewTest, TheLastPage) {
  upstream_.answer = upstream::PendingPage();
  EXPECT_THAT(
      Get(),
      IsOkAndHolds(
          R"({"kind":"PendingOperandList","apiVersion":"views.operators.coreos.com/v1alpha1",)"
          R"("metadata":{},"items":[],"hidden":0})"));
}

TEST_F(PendingViewTest, ErrorsAreTheControllers) {
  upstream_.answer = kube::ToStatus(kube::ServiceUnavailable("away", 5));
  EXPECT_EQ(Get().status(), upstream_.answer.status());
}

TEST_F(PendingViewTest, WithoutControllersItSaysSo) {
  upstream::NoControllers none("not connected");
  PendingView view(none);
  const absl::Status status = RunOn(io_, view.GetPage(user_, {})).status();
  const kube::Status said = kube::FromStatus(status);
  EXPECT_EQ(said.code, 503);
  EXPECT_EQ(said.message, "not connected");
  EXPECT_GT(said.retry_after_seconds, 0);
}

TEST_F(PendingViewTest, TheSubresource) {
  const rest::Subresource subresource = view_.Subresource();
  EXPECT_EQ(subresource.name, "pending");
  EXPECT_THAT(subresource.Verbs(), ElementsAre("get"));
}

}  // namespace
}  // namespace steward::views
