#include "controllers/install_plan/plan_pass.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/async/run.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/testing/plan_cluster.h"
#include "kube/client/rest_mapper.h"
#include "kube/testing/hook_client.h"
#include "olm/plan/install_plan.h"

namespace steward::controllers {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kPlan[] = "install-1";

// Records which objects were created, and how many creations were under way at the same time.
struct Creations : kube::Hooks {
  boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override {
    kube::HookedFate fate;
    if (call.verb != kube::ClientVerb::kCreate) co_return fate;
    begun.push_back(StrCat(call.gvr.resource, " ", call.name.name));
    most = std::max(most, ++running);
    if (begun.back() == refused) {
      --running;
      fate.error = absl::UnavailableError("connection refused");
    }
    co_return fate;
  }
  VoidTask After(const kube::HookedCall& call, const absl::Status&) override {
    if (call.verb == kube::ClientVerb::kCreate) --running;
    co_return;
  }

  std::string refused;
  std::vector<std::string> begun;
  int running = 0;
  int most = 0;
};

class PlanPassTest : public ::testing::Test {
 protected:
  PlanPassResult Run(const std::vector<TestStep>& steps, const std::string& message = "") {
    cluster_.AddPlan(kPlan, steps);
    absl::StatusOr<olm::InstallPlan> plan =
        olm::ReadInstallPlan(cluster_.Find(kTestPlans, {"ops", kPlan}).as_object());
    EXPECT_TRUE(plan.ok()) << plan.status();
    plan->message = message;
    // A plan with this status has been executed in part.
    if (!message.empty()) plan->steps[0].status = olm::kStepNotPresent;
    kube::HookClient client(cluster_.client(), creations_);
    kube::RestMapper mapper(client, cluster_.clock());
    PlanPass pass({.own = client, .steps = client, .mapper = mapper}, *plan);
    boost::asio::io_context io(1);
    return RunOn(io, pass.Run());
  }

  static std::vector<TestStep> ConfigMaps(int count) {
    std::vector<TestStep> steps = {CsvStep()};
    for (int i = 0; i < count; ++i) steps.push_back(ConfigMapStep(StrCat("settings-", i)));
    return steps;
  }

  PlanCluster cluster_;
  Creations creations_;
};

TEST_F(PlanPassTest, StepsThatNeedNothingOfEachOtherAreWrittenTogether) {
  const PlanPassResult result = Run(ConfigMaps(30));
  EXPECT_TRUE(result.error.ok()) << result.error;
  EXPECT_EQ(creations_.begun.size(), 31);
  EXPECT_EQ(creations_.most, PlanPass::kWidth);
  EXPECT_TRUE(std::all_of(result.steps.begin(), result.steps.end(),
                          [](const auto& step) { return step.status == olm::kStepCreated; }));
}

// Its preview says which step fails, and that no later one is written.
TEST_F(PlanPassTest, AfterAnErrorOneStepIsWrittenAfterTheOther) {
  const PlanPassResult result = Run(ConfigMaps(30), "retrying execution due to error: step 3");
  EXPECT_TRUE(result.error.ok()) << result.error;
  EXPECT_EQ(creations_.begun.size(), 31);
  EXPECT_EQ(creations_.most, 1);
}

TEST_F(PlanPassTest, OthersWaitForWhatTheyNeed) {
  const TestStep binding = {
      {"rbac.authorization.k8s.io", "v1", "RoleBinding"},
      "reed",
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":)"
      R"({"name":"reed"},"roleRef":{"kind":"Role","name":"reed"}})"};
  const PlanPassResult result =
      Run({binding, TokenStep(), RoleStep(), AccountStep(), ConfigMapStep(), CsvStep()});
  EXPECT_TRUE(result.error.ok()) << result.error;
  std::vector<std::string>& begun = creations_.begun;
  ASSERT_EQ(begun.size(), 6);
  std::sort(begun.begin() + 4, begun.end());
  EXPECT_THAT(begun,
              ElementsAre("clusterserviceversions reed.v1", "serviceaccounts reed", "roles reed",
                          "rolebindings reed", "configmaps settings", "secrets token"));
  EXPECT_EQ(creations_.most, 2);
}

TEST_F(PlanPassTest, TwoWritesOfOneObjectFollowEachOther) {
  const PlanPassResult result =
      Run({CsvStep(), ConfigMapStep(), ConfigMapStep("other"), ConfigMapStep()});
  EXPECT_TRUE(result.error.ok()) << result.error;
  EXPECT_EQ(creations_.most, 2);
  EXPECT_EQ(result.steps[1].status, olm::kStepCreated);
  EXPECT_EQ(result.steps[3].status, olm::kStepPresent);
}

TEST_F(PlanPassTest, NoStepBeginsAfterOneThatFails) {
  creations_.refused = "configmaps settings-3";
  const PlanPassResult result = Run(ConfigMaps(30));
  EXPECT_THAT(std::string(result.error.message()), HasSubstr("step 5, ConfigMap settings-3"));
  EXPECT_EQ(result.steps[4].status, olm::kStepUnknown);
  // Those that were begun before it end.
  EXPECT_THAT(creations_.begun, Contains("configmaps settings-2"));
  EXPECT_THAT(creations_.begun, Not(Contains("configmaps settings-8")));
  EXPECT_EQ(result.steps[3].status, olm::kStepCreated);
}

}  // namespace
}  // namespace steward::controllers
