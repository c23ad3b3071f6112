// Compares the previews of random plans on random clusters with the executions, step by step.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/json/json_text.h"
#include "base/seeds/dice.h"
#include "base/seeds/seeds.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/testing/plan_cluster.h"
#include "controllers/preview/changed_fields.h"
#include "controllers/preview/live_plan_previewer.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using olm::Outcome;

const Seeds kSeeds = SeedsOr({1, ShareOf(300)});

constexpr char kPlan[] = "install-2";

struct Refusal {
  int code;
  const char* reason;
};
constexpr Refusal kRefusals[] = {{403, "Forbidden"},
                                 {422, "Invalid"},
                                 {409, "Conflict"},
                                 {400, "BadRequest"},
                                 {401, "Unauthorized"}};

const std::map<std::string, kube::GroupVersionResource> kResources = {
    {"ClusterServiceVersion", kTestCsvs},
    {"CustomResourceDefinition", kTestDefinitions},
    {"ServiceMonitor", kTestMonitors},
    {"ConfigMap", kTestConfigMaps},
    {"Secret", kTestSecrets},
    {"ServiceAccount", kTestAccounts},
    {"Role", kTestRoles}};

class Trial : public Dice {
 public:
  explicit Trial(unsigned seed) : Dice(seed) {}

  void Play() {
    Prepare();
    kube::Hook hook;
    kube::HookClient client(cluster_.client(), hook);
    hook.decide = [this](const kube::HookedCall& call) {
      EXPECT_FALSE(call.writes()) << "a preview only tries";
      return call.IsWrite() ? Decide(call.gvr) : absl::OkStatus();
    };
    LivePlanPreviewer previewer(kube::DryRunClient(client), std::nullopt, cluster_.clock(),
                                {.optional_manifests = gate_});
    boost::asio::io_context io(1);
    const std::vector<std::string> before = Contents();
    ASSERT_OK_AND_ASSIGN(const LivePreview live, RunOn(io, previewer.PreviewPlan({"ops", kPlan})));
    EXPECT_EQ(Contents(), before) << "a preview changes nothing";

    PlanProcess process(cluster_,
                        {.gate = gate_, .retry_timeout = absl::Seconds(3), .hooks_dry_runs = true});
    process.hook().decide = [this](const kube::HookedCall& call) {
      kube::HookedFate fate;
      if (call.IsWrite() && call.gvr != kTestPlans) fate.error = Decide(call.gvr);
      return fate;
    };
    process.Settle(kPlan, 8);
    ASSERT_EQ(live.preview.steps.size(), steps_.size());
    const std::vector<std::string> after = Contents();
    const json::object status = cluster_.Status(kPlan);
    std::vector<std::string> states;
    bool unforeseen = false;  // a step that the preview called Unknown has failed
    for (const olm::PreviewStep& step : live.preview.steps) {
      const json::value& entry = status.at("plan").as_array()[step.index];
      states.emplace_back(entry.at("status").as_string());
      unforeseen = unforeseen || (step.outcome == Outcome::kUnknown && !IsDone(states.back()));
    }
    for (const olm::PreviewStep& step : live.preview.steps) {
      const size_t i = step.index;
      // The preview of later steps assumes that the Unknown step succeeds.
      if (unforeseen && !IsDone(states[i])) continue;
      Judge(step, states[i], before[i], after[i]);
    }
  }

  static std::map<std::string, int>& seen() {
    static std::map<std::string, int> all;
    return all;
  }

 private:
  absl::Status Decide(const kube::GroupVersionResource& gvr) const {
    const auto refused = refused_.find(gvr.resource);
    if (refused == refused_.end()) return absl::OkStatus();
    kube::Status status;
    status.code = refused->second.code;
    status.reason = refused->second.reason;
    status.message = "injected";
    return kube::ToStatus(status);
  }

  void Prepare() {
    gate_ = !OneIn(4);
    steps_ = {MonitorStep(OneIn(2)), ConfigMapStep(), ConfigMapStep("other"),
              AccountStep(),         TokenStep(),     RoleStep()};
    if (OneIn(2)) steps_.push_back(DefinitionStep());
    steps_.push_back(CsvStep());
    std::shuffle(steps_.begin(), steps_.end(), random());
    while (steps_.size() > 2 && OneIn(3)) steps_.pop_back();
    if (OneIn(2)) cluster_.Create(kTestDefinitions, "", DefinitionText());
    if (OneIn(3)) {
      // An earlier plan has installed some of the objects.
      std::vector<TestStep> some = {CsvStep()};
      for (const TestStep& step : steps_) {
        if (step.gvk.kind != "ClusterServiceVersion" && OneIn(2)) some.push_back(step);
      }
      cluster_.AddPlan("install-1", some);
      PlanProcess(cluster_, {.gate = true, .retry_timeout = absl::Seconds(3)}).Settle("install-1");
    }
    if (OneIn(3)) {
      constexpr char kOther[] =
          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"},"data":{"a":"0"}})";
      if (cluster_.Find(kTestConfigMaps, {"ops", "other"}).is_null()) {
        cluster_.Create(kTestConfigMaps, "ops", kOther);
      } else {
        cluster_.Merge(kTestConfigMaps, {"ops", "other"}, kOther);
      }
    }
    cluster_.AddPlan(kPlan, steps_);
    for (const auto& [kind, gvr] : kResources) {
      if (OneIn(8)) refused_[gvr.resource] = kRefusals[Draw(std::size(kRefusals))];
    }
  }

  // Returns the steps' objects without the server's counters; "" for an absent object.
  std::vector<std::string> Contents() {
    std::vector<std::string> all;
    for (const TestStep& step : steps_) {
      const kube::GroupVersionResource& gvr = kResources.at(step.gvk.kind);
      const bool everywhere = gvr == kTestDefinitions;
      json::value object = cluster_.Find(gvr, {everywhere ? "" : "ops", step.name});
      if (object.is_null()) {
        all.emplace_back();
        continue;
      }
      json::object& metadata = object.as_object()["metadata"].as_object();
      metadata.erase("resourceVersion");
      metadata.erase("generation");
      all.push_back(Serialize(object));
    }
    return all;
  }

  static bool IsDone(const std::string& status) {
    return status == "Created" || status == "Present" || status == "NotCreated";
  }

  static void Judge(const olm::PreviewStep& step, const std::string& status,
                    const std::string& before, const std::string& after) {
    const std::string what = StrCat("step ", step.index + 1, " ", step.gvk.kind, " ", step.name,
                                    ": ", olm::ToString(step.outcome), " ", step.reason, " (",
                                    step.message, "), but ", status);
    ++seen()[StrCat(olm::ToString(step.outcome), "/", olm::ToString(step.basis))];
    switch (step.outcome) {
      case Outcome::kCreate:
        EXPECT_EQ(status, "Created") << what;
        EXPECT_EQ(before, "") << what;
        break;
      case Outcome::kUpdate:
        EXPECT_EQ(status, "Present") << what;
        EXPECT_NE(before, after) << what;
        EXPECT_FALSE(step.changed_fields.empty()) << what;
        JudgeValues(step, before, after, what);
        break;
      case Outcome::kUnchanged:
        EXPECT_EQ(status, "Present") << what;
        EXPECT_EQ(before, after) << what;
        break;
      case Outcome::kNotCreated:
        EXPECT_EQ(status, "NotCreated") << what;
        EXPECT_EQ(before, after) << what;
        break;
      case Outcome::kFail:
      case Outcome::kBlocked:
        EXPECT_FALSE(IsDone(status)) << what;
        EXPECT_EQ(before, after) << what;
        break;
      case Outcome::kUnknown:
        EXPECT_EQ(step.reason, "NeedsEarlierStep") << what;
        break;
      default:
        ADD_FAILURE() << what;
    }
    // In this test, rules may only conclude from an absent API, account or owner, and their
    // consequences.
    if (step.basis == olm::Basis::kDryRun) return;
    EXPECT_TRUE(step.reason == "ApiAbsent" || step.reason == "EarlierStepFails" ||
                step.reason == "NeedsEarlierStep" || step.reason == "RefusedByRule")
        << what;
  }

  // Checks that the previewed values are the real ones, except the UID of an operator that does not
  // exist yet.
  static void JudgeValues(const olm::PreviewStep& step, const std::string& before,
                          const std::string& after, const std::string& what) {
    if (step.gvk.kind == "Secret" || step.gvk.kind == "CustomResourceDefinition") return;
    const std::vector<olm::PreviewChange> real =
        Compare(*ParseJson(before), *ParseJson(after), {}).changes;
    ASSERT_EQ(step.changes.size(), real.size()) << what;
    for (size_t i = 0; i < real.size(); ++i) {
      const olm::PreviewChange& told = step.changes[i];
      EXPECT_EQ(told.path, real[i].path) << what;
      EXPECT_EQ(told.before, real[i].before) << what;
      if (told.after.find("00000000-0000") == std::string::npos) {
        EXPECT_EQ(told.after, real[i].after) << what;
      }
    }
  }

  PlanCluster cluster_;
  std::vector<TestStep> steps_;
  bool gate_ = false;
  std::map<std::string, Refusal> refused_;  // the key is the resource
};

TEST(PreviewDifferentialTest, TheExecutorDoesWhatThePreviewSays) {
  PlaySeeds(kSeeds, [](unsigned seed) { Trial(seed).Play(); });
  std::string all;
  for (const auto& [what, count] : Trial::seen()) StrAppend(&all, what, " ", count, "\n");
  RecordProperty("outcomes", all);
}

}  // namespace
}  // namespace steward::controllers
