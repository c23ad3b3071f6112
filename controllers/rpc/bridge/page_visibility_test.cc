#include "controllers/rpc/bridge/page_visibility.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/async/task.h"
#include "base/status/matchers.h"
#include "kube/meta/names.h"

namespace steward::rpc {
namespace {

using testing::ElementsAre;

const kube::GroupVersionResource kWidgets = {"example.com", "v1", "widgets"};
const kube::GroupVersionResource kGadgets = {"example.com", "v1", "gadgets"};

class PageVisibilityTest : public testing::Test {
 protected:
  Task<bool> Answer(kube::GroupVersionResource gvr, std::string ns) {
    asked_.push_back(gvr.resource + " " + ns);
    if (!failure_.ok()) co_return failure_;
    co_return allowed_.contains(gvr.resource + " " + ns);
  }
  absl::StatusOr<bool> Shows(const kube::GroupVersionResource& gvr, const std::string& ns) {
    boost::asio::io_context io(1);
    return RunOn(io, visibility_.Shows(gvr, ns));
  }

  std::set<std::string> allowed_;
  std::vector<std::string> asked_;
  absl::Status failure_;
  const MayList may_list_ = [this](kube::GroupVersionResource gvr, std::string ns) {
    return Answer(std::move(gvr), std::move(ns));
  };
  PageVisibility visibility_{may_list_, 2};
};

TEST_F(PageVisibilityTest, AsksOnceForEachResourceAndNamespace) {
  allowed_ = {"widgets ", "gadgets a"};
  for (int time = 0; time != 2; ++time) {
    EXPECT_THAT(Shows(kWidgets, "a"), IsOkAndHolds(true));
    EXPECT_THAT(Shows(kGadgets, "a"), IsOkAndHolds(true));
    EXPECT_THAT(Shows(kGadgets, "b"), IsOkAndHolds(false));
    EXPECT_THAT(Shows(kGadgets, ""), IsOkAndHolds(false)) << "cluster-scoped";
  }
  EXPECT_THAT(asked_, ElementsAre("widgets ", "gadgets ", "gadgets a", "gadgets b"));
}

TEST_F(PageVisibilityTest, ReviewsForSingleNamespacesAreLimited) {
  EXPECT_TRUE(visibility_.CanTell(kGadgets, "a")) << "nothing was asked yet";
  EXPECT_THAT(Shows(kGadgets, "a"), IsOkAndHolds(false));
  EXPECT_THAT(Shows(kGadgets, "b"), IsOkAndHolds(false));
  EXPECT_TRUE(visibility_.CanTell(kGadgets, "b")) << "it was asked";
  EXPECT_TRUE(visibility_.CanTell(kGadgets, ""));
  EXPECT_FALSE(visibility_.CanTell(kGadgets, "c"));
  allowed_ = {"widgets "};
  EXPECT_THAT(Shows(kWidgets, "c"), IsOkAndHolds(true));
  EXPECT_TRUE(visibility_.CanTell(kWidgets, "d")) << "the whole cluster";
}

TEST_F(PageVisibilityTest, NoDecisionIsNoPermission) {
  failure_ = absl::UnavailableError("away");
  EXPECT_THAT(Shows(kGadgets, "a"), StatusIs(absl::StatusCode::kUnavailable));
}

}  // namespace
}  // namespace steward::rpc
