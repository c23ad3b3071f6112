#include "controllers/copies/copy_toggle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/fake_client.h"
#include "kube/testing/hook_client.h"
#include "olm/copy/slot.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace {

using Global = olm::CopyPolicy::Global;

class CopyToggleTest : public ::testing::Test {
 protected:
  CopyToggleTest() { cluster_.Serve(olm::kOlmConfigs); }
  ~CopyToggleTest() override { Stop(); }

  void Start(CopyToggleDefaults defaults = {}) {
    toggle_ = std::make_unique<CopyToggle>(client_, clock_, random_, std::move(defaults));
    tasks_.Spawn(
        "toggle",
        toggle_->Run({.told = [this] { ++told_; },
                      .other = [this](const std::string& name) { others_.push_back(name); }}));
    Pass();
  }
  void Stop() { RunOn(io_, tasks_.Stop()); }
  void Put(const std::string& name, const std::string& features) {
    cluster_.Put(olm::kOlmConfigs, StrCat(R"({"metadata":{"name":")", name,
                                          R"("},"spec":{"features":)", features, "}}"));
    Pass();
  }
  void Pass(absl::Duration time = absl::ZeroDuration()) {
    do {
      clock_.Advance(absl::Milliseconds(100));
      time -= absl::Milliseconds(100);
      io_.restart();
      while (io_.poll() > 0) {
      }
    } while (time > absl::ZeroDuration());
  }
  Global Followed() const { return toggle_->policy().global; }
  absl::StatusOr<olm::CopyPolicy> Live() { return RunOn(io_, toggle_->ReadLive()); }

  FakeClock clock_;
  FixedRandom random_{0};
  boost::asio::io_context io_{1};
  kube::FakeClient cluster_;
  kube::HookClient client_{cluster_, clock_};
  TaskGroup tasks_{io_.get_executor()};
  std::unique_ptr<CopyToggle> toggle_;
  int told_ = 0;
  std::vector<std::string> others_;
};

TEST_F(CopyToggleTest, R_004_25_26_TheOlmConfigThenTheFlagThenOn) {
  struct Row {
    const char* name;
    const char* features;  // null: there is no OLMConfig
    bool flag;
    Global want;
    CopyChoice::By by;
  };
  using By = CopyChoice::By;
  for (const Row& row : {
           Row{"nothing", nullptr, false, Global::kCopied, By::kDefaults},
           Row{"R-004-26: no OLMConfig, the flag counts", nullptr, true, Global::kNotCopied,
               By::kDefaults},
           Row{"silent", "{}", false, Global::kCopied, By::kDefaults},
           Row{"silent, the flag counts", "{}", true, Global::kNotCopied, By::kDefaults},
           Row{"off", R"({"disableCopiedCSVs":true})", false, Global::kNotCopied, By::kOlmConfig},
           Row{"R-004-25: on beats the flag", R"({"disableCopiedCSVs":false})", true,
               Global::kCopied, By::kOlmConfig},
           Row{"the seed's spelling", R"({"disable-copied-csvs":true})", false, Global::kNotCopied,
               By::kOlmConfig},
           Row{"not understood", R"({"disableCopiedCSVs":"yes"})", false, Global::kUnknown,
               By::kNotUnderstood},
       }) {
    SCOPED_TRACE(row.name);
    for (const auto& [key, text] : cluster_.Objects(olm::kOlmConfigs)) {
      cluster_.Delete(olm::kOlmConfigs, key);
    }
    if (row.features != nullptr) Put("cluster", row.features);
    CopyToggleDefaults defaults;
    defaults.disabled = row.flag;
    defaults.protected_namespaces = {"openshift"};
    CopyToggle toggle(client_, clock_, random_, defaults);
    EXPECT_EQ(toggle.policy().global, Global::kUnknown) << "before anything was read";
    EXPECT_EQ(toggle.choice().by, By::kNobody);
    TaskGroup tasks(io_.get_executor());
    tasks.Spawn("toggle", toggle.Run({}));
    Pass();
    EXPECT_EQ(toggle.policy().global, row.want) << "followed";
    EXPECT_EQ(toggle.choice().by, row.by);
    EXPECT_TRUE(toggle.policy().protected_namespaces.contains("openshift"));
    ASSERT_OK_AND_ASSIGN(const olm::CopyPolicy live, RunOn(io_, toggle.ReadLive()));
    EXPECT_EQ(live, toggle.policy()) << "read live";
    RunOn(io_, tasks.Stop());
  }
}

TEST_F(CopyToggleTest, FollowsEachChange) {
  Start();
  EXPECT_EQ(told_, 1);
  Put("cluster", R"({"disableCopiedCSVs":true})");
  EXPECT_EQ(Followed(), Global::kNotCopied);
  EXPECT_EQ(told_, 2);
  Put("cluster", R"({"disableCopiedCSVs":true})");
  EXPECT_EQ(told_, 3) << "news without a change of the choice";
  cluster_.Delete(olm::kOlmConfigs, {"", "cluster"});
  Pass();
  EXPECT_EQ(Followed(), Global::kCopied);
}

TEST_F(CopyToggleTest, R_004_23_OthersMeanNothing) {
  Start();
  Put("another", R"({"disableCopiedCSVs":true})");
  EXPECT_EQ(Followed(), Global::kCopied);
  Put("cluster", R"({"disableCopiedCSVs":true})");
  cluster_.Delete(olm::kOlmConfigs, {"", "another"});
  Pass();
  Put("another", "{}");
  EXPECT_THAT(others_, testing::ElementsAre("another")) << "once";
  EXPECT_EQ(Followed(), Global::kNotCopied);
}

// When a definition is replaced, the watch goes on without the fields that only the new one knows.
TEST_F(CopyToggleTest, WhatTheWatchNeverTellsIsSeenBeforeLong) {
  Start();
  client_.Hold({kube::ClientVerb::kWatch, olm::kOlmConfigs});
  cluster_.BreakWatches(olm::kOlmConfigs);
  Pass(absl::Seconds(1));
  Put("cluster", R"({"disableCopiedCSVs":true})");
  EXPECT_EQ(Followed(), Global::kCopied);
  Pass(absl::Seconds(31));
  EXPECT_EQ(Followed(), Global::kNotCopied);
  const int told = told_;
  Pass(absl::Minutes(2));
  EXPECT_EQ(told_, told) << "the same again is no news";
}

TEST_F(CopyToggleTest, AClusterWithoutTheKindHasCopies) {
  cluster_.Withdraw(olm::kOlmConfigs);
  Start();
  Pass(absl::Seconds(10));
  EXPECT_EQ(Followed(), Global::kCopied);
  ASSERT_OK_AND_ASSIGN(const olm::CopyPolicy live, Live());
  EXPECT_EQ(live.global, Global::kCopied);
}

// The answer to a Get alone, which a proxy may have given, deletes no copies.
TEST_F(CopyToggleTest, WithTheFlagAKindThatIsNotServedTakesTheWatchsWord) {
  Put("cluster", R"({"disableCopiedCSVs":false})");
  CopyToggleDefaults defaults;
  defaults.disabled = true;
  Start(std::move(defaults));
  cluster_.FailNext(kube::ClientVerb::kGet, olm::kOlmConfigs, kube::ToStatus(kube::NotFoundPath()));
  EXPECT_FALSE(Live().ok());
  cluster_.Withdraw(olm::kOlmConfigs);
  cluster_.BreakWatches(olm::kOlmConfigs);
  Pass(absl::Minutes(1));
  EXPECT_EQ(Followed(), Global::kNotCopied);
  ASSERT_OK_AND_ASSIGN(const olm::CopyPolicy live, Live());
  EXPECT_EQ(live.global, Global::kNotCopied);
}

TEST_F(CopyToggleTest, WhatCannotBeReadIsUnknown) {
  cluster_.FailNext(kube::ClientVerb::kList, olm::kOlmConfigs, absl::UnavailableError("away"),
                    1000);
  cluster_.FailNext(kube::ClientVerb::kWatch, olm::kOlmConfigs, absl::UnavailableError("away"),
                    1000);
  Start();
  Pass(absl::Seconds(10));
  EXPECT_EQ(Followed(), Global::kUnknown);
  cluster_.FailNext(kube::ClientVerb::kGet, olm::kOlmConfigs,
                    kube::ToStatus(kube::Forbidden(olm::kOlmConfigs, "cluster", "no")));
  EXPECT_FALSE(Live().ok());
}

TEST_F(CopyToggleTest, WhatWasFollowedLastHoldsWhileTheServerIsAway) {
  Put("cluster", R"({"disableCopiedCSVs":true})");
  Start();
  cluster_.FailNext(kube::ClientVerb::kList, olm::kOlmConfigs, absl::UnavailableError("away"),
                    1000);
  cluster_.FailNext(kube::ClientVerb::kWatch, olm::kOlmConfigs, absl::UnavailableError("away"),
                    1000);
  cluster_.BreakWatches(olm::kOlmConfigs);
  Pass(absl::Seconds(10));
  EXPECT_EQ(Followed(), Global::kNotCopied);
}

}  // namespace
}  // namespace steward::controllers
