#include "controllers/preview/live_plan_previewer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/async/race.h"
#include "base/async/run.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/testing/plan_cluster.h"
#include "controllers/preview/discovered_apis.h"
#include "controllers/preview/step_verdict.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using olm::Outcome;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A previewer cannot be constructed from a client that can write.
static_assert(
    !std::is_constructible_v<LivePlanPreviewer, kube::Client&, std::optional<kube::DryRunClient>,
                             Clock&, const LivePreviewOptions&>);
static_assert(!std::is_constructible_v<LivePlanPreviewer, kube::DryRunClient, kube::Client&, Clock&,
                                       const LivePreviewOptions&>);
static_assert(std::is_constructible_v<LivePlanPreviewer, kube::DryRunClient, std::nullopt_t, Clock&,
                                      const LivePreviewOptions&>);

constexpr char kPlan[] = "install-1";

absl::Status Answer(int code, const std::string& reason, const std::string& message = "refused") {
  kube::Status status;
  status.code = code;
  status.reason = reason;
  status.message = message;
  return kube::ToStatus(status);
}

// Returns a text like "Create Accepted" for each step.
std::vector<std::string> Outcomes(const LivePreview& live) {
  std::vector<std::string> all;
  for (const olm::PreviewStep& step : live.preview.steps) {
    all.push_back(StrCat(olm::ToString(step.outcome), " ", step.reason));
  }
  return all;
}

// Returns a step for an operator that supports all namespaces, which the test's OperatorGroup
// selects. `more` is added to its spec.
TestStep FittingCsvStep(const std::string& more = "") {
  return CsvStep(
      "", StrCat(R"(,"spec":{"displayName":"Reed","install":{"strategy":"deployment"},)",
                 R"("installModes":[{"type":"AllNamespaces","supported":true}])", more, "}"));
}

// Records the calls that a preview makes.
struct Witness : kube::Hook {
  boost::asio::awaitable<kube::HookedFate> Before(const kube::HookedCall& call) override {
    calls.push_back(call);
    kube::HookedFate fate = co_await Hook::Before(call);
    if (fate.passes()) most = std::max(most, ++running);
    co_return fate;
  }
  VoidTask After(const kube::HookedCall&, const absl::Status&) override {
    --running;
    co_return;
  }
  size_t Writes(bool dry) const {
    return std::count_if(calls.begin(), calls.end(), [dry](const kube::HookedCall& call) {
      return call.IsWrite() && call.dry_run == dry;
    });
  }

  std::vector<kube::HookedCall> calls;
  size_t running = 0;
  size_t most = 0;  // the most calls at the same time
};

class LivePlanPreviewerTest : public ::testing::Test {
 protected:
  absl::StatusOr<LivePreview> Preview(const LivePreviewOptions& options = {
                                          .optional_manifests = true}) {
    LivePlanPreviewer previewer(kube::DryRunClient(client_), std::nullopt, cluster_.clock(),
                                options);
    return RunOn(io_, previewer.PreviewPlan({"ops", kPlan}));
  }
  absl::StatusOr<LivePreview> PreviewBundle(BundleContent bundle, const kube::UserInfo& user,
                                            bool gate = true) {
    std::optional<kube::DryRunClient> requesters;
    requesters.emplace(client_);
    LivePlanPreviewer previewer(kube::DryRunClient(client_), std::move(requesters),
                                cluster_.clock(), {.optional_manifests = gate});
    return RunOn(io_, previewer.PreviewBundle(std::move(bundle), user));
  }
  // Previews a plan with these steps, which must succeed.
  LivePreview Of(const std::vector<TestStep>& steps) {
    cluster_.AddPlan(kPlan, steps);
    absl::StatusOr<LivePreview> live = Preview();
    EXPECT_OK(live);
    return live.ok() ? *std::move(live) : LivePreview();
  }
  // Makes the cluster refuse writes of the resource.
  void Refuse(const std::string& resource, const absl::Status& why) {
    witness_.decide = [resource, why](const kube::HookedCall& call) {
      return call.IsWrite() && call.gvr.resource == resource ? why : absl::OkStatus();
    };
  }
  ~LivePlanPreviewerTest() override {
    EXPECT_EQ(witness_.Writes(/*dry=*/false), 0u) << "a preview has written";
  }

  boost::asio::io_context io_{1};
  PlanCluster cluster_;
  Witness witness_;
  kube::HookClient client_{cluster_.client(), witness_};
};

TEST_F(LivePlanPreviewerTest, OfAFreshPlan) {
  const LivePreview live = Of({CsvStep(), DefinitionStep(), MonitorStep(true), ConfigMapStep(),
                               AccountStep(), TokenStep(), RoleStep()});
  EXPECT_TRUE(live.preview.condition.executable);
  EXPECT_THAT(Outcomes(live), ElementsAre("Create Accepted", "Create Accepted",
                                          "Unknown NeedsEarlierStep", "Create Accepted",
                                          "Create Accepted", "Create Accepted", "Create Accepted"));
  EXPECT_EQ(live.preview.steps[0].basis, olm::Basis::kDryRun);
  EXPECT_EQ(live.preview.steps[2].basis, olm::Basis::kRule);
  EXPECT_EQ(live.preview.steps[0].ns, "ops");
  EXPECT_TRUE(live.preview.steps[2].optional);
  ASSERT_EQ(live.resources.size(), 7u);
  EXPECT_EQ(live.resources[0], kTestCsvs);
  EXPECT_EQ(live.resources[2], std::nullopt);
  EXPECT_THAT(cluster_.All(kTestCsvs), IsEmpty());
  EXPECT_THAT(cluster_.All(kTestConfigMaps), IsEmpty());
  EXPECT_THAT(cluster_.All(kTestDefinitions), IsEmpty());
  EXPECT_GT(witness_.Writes(/*dry=*/true), 0u);
}

TEST_F(LivePlanPreviewerTest, OfAPlanThatWaitsForItsApproval) {
  cluster_.AddPlan(kPlan, {CsvStep(), ConfigMapStep()}, /*approved=*/false);
  ASSERT_OK_AND_ASSIGN(const LivePreview live, Preview());
  EXPECT_FALSE(live.preview.condition.executable);
  EXPECT_EQ(live.preview.condition.reason, olm::kNotApproved);
  EXPECT_THAT(Outcomes(live), Each("Create Accepted"));
}

TEST_F(LivePlanPreviewerTest, OfWhatIsThere) {
  cluster_.Create(kTestConfigMaps, "ops",
                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},)"
                  R"("data":{"a":"0"}})");
  cluster_.Create(kTestDefinitions, "", DefinitionText());
  const LivePreview live = Of({CsvStep(), DefinitionStep(), MonitorStep(false), ConfigMapStep()});
  EXPECT_THAT(Outcomes(live), ElementsAre("Create Accepted", "Update Accepted", "Create Accepted",
                                          "Update Accepted"));
  EXPECT_THAT(live.preview.steps[3].changed_fields, ElementsAre("data.a", "metadata.annotations"));
  EXPECT_THAT(live.preview.steps[3].changes,
              ElementsAre(olm::PreviewChange{"data.a", R"("0")", R"("1")"},
                          AllOf(Field(&olm::PreviewChange::path, "metadata.annotations"),
                                Field(&olm::PreviewChange::before, ""))));
  EXPECT_EQ(live.resources[2], kTestMonitors);
}

TEST_F(LivePlanPreviewerTest, TellsWhatIsCreatedButNoSecrets) {
  const TestStep secret = {{"", "v1", "Secret"},
                           "key",
                           R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"key"},)"
                           R"("data":{"a":"b25lIHNlY3JldA=="},"stringData":{"b":"other secret"}})"};
  const LivePreview live = Of({CsvStep(), ConfigMapStep(), secret});
  EXPECT_THAT(Outcomes(live), Each("Create Accepted"));
  ASSERT_EQ(live.preview.steps[1].changes.size(), 1u);
  EXPECT_THAT(live.preview.steps[1].changes[0].after, HasSubstr(R"("data":{"a":"1"})"));
  ASSERT_EQ(live.preview.steps[2].changes.size(), 1u);
  const std::string& told = live.preview.steps[2].changes[0].after;
  EXPECT_THAT(told, HasSubstr(R"("a":"***")"));
  EXPECT_THAT(told, Not(HasSubstr("b25lIHNlY3JldA==")));
  EXPECT_THAT(told, Not(HasSubstr("other secret")));
}

TEST_F(LivePlanPreviewerTest, ValuesHaveRoomForThemselves) {
  cluster_.AddPlan(kPlan, {CsvStep(), ConfigMapStep(), ConfigMapStep("other")});
  ASSERT_OK_AND_ASSIGN(const LivePreview some, Preview({.limits = {.max_value_bytes = 500}}));
  size_t bytes = 0;
  for (const olm::PreviewStep& step : some.preview.steps) {
    for (const olm::PreviewChange& change : step.changes) bytes += change.after.size();
  }
  EXPECT_GT(bytes, 0u);
  EXPECT_LE(bytes, 500u);
  ASSERT_OK_AND_ASSIGN(const LivePreview none, Preview({.limits = {.max_value_bytes = 0}}));
  for (const olm::PreviewStep& step : none.preview.steps) EXPECT_THAT(step.changes, IsEmpty());
}

TEST_F(LivePlanPreviewerTest, PassesOnWhatTheClusterWarnsOf) {
  witness_.decide = [](const kube::HookedCall& call) {
    if (call.IsWrite() && call.write->on_warning) call.write->on_warning("v1 of it is deprecated");
    return kube::HookedFate();
  };
  cluster_.Create(kTestConfigMaps, "ops",
                  R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}})");
  const LivePreview live = Of({CsvStep(), ConfigMapStep()});
  EXPECT_THAT(Outcomes(live), ElementsAre("Create Accepted", "Update Accepted"));
  for (const olm::PreviewStep& step : live.preview.steps) {
    EXPECT_THAT(step.warnings, ElementsAre("v1 of it is deprecated"));
  }
}

TEST_F(LivePlanPreviewerTest, OfWhatIsDone) {
  const std::vector<TestStep> steps = {CsvStep(), ConfigMapStep(), AccountStep(), RoleStep()};
  cluster_.AddPlan("earlier", steps);
  PlanProcess process(cluster_);
  process.Settle("earlier");
  EXPECT_EQ(cluster_.Phase("earlier"), "Complete");
  const LivePreview live = Of(steps);
  EXPECT_THAT(Outcomes(live), ElementsAre("Unchanged StaysAsItIs", "Unchanged Present",
                                          "Unchanged Present", "Unchanged Present"));
  process.Settle(kPlan);
  ASSERT_OK_AND_ASSIGN(const LivePreview after, Preview());
  EXPECT_EQ(after.preview.condition.reason, olm::kPlanIsComplete);
  EXPECT_THAT(Outcomes(after), Each("Unchanged StepIsDone"));
}

// A dry run cannot judge objects whose schema the plan changes, because the new schema is not
// stored yet.
TEST_F(LivePlanPreviewerTest, AChangedDefinitionIsNeededFirst) {
  cluster_.Create(kTestDefinitions, "", DefinitionText());
  constexpr char kStricter[] =
      R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
      R"("properties":{"spec":{"type":"object","properties":{"port":{"type":"string",)"
      R"("maxLength":3}}}}}}})";
  const LivePreview live = Of({CsvStep(), DefinitionStep(kStricter), MonitorStep(false)});
  EXPECT_THAT(Outcomes(live),
              ElementsAre("Create Accepted", "Update Accepted", "Unknown NeedsEarlierStep"));
}

TEST_F(LivePlanPreviewerTest, ADefinitionTellsWhatGoes) {
  constexpr char kBoth[] =
      R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object"}}},)"
      R"({"name":"v1beta1","served":true,"storage":false,"schema":{"openAPIV3Schema":)"
      R"({"type":"object"}}})";
  cluster_.Create(kTestDefinitions, "", DefinitionText(kBoth));
  const LivePreview live = Of({CsvStep(), DefinitionStep()});
  EXPECT_THAT(Outcomes(live).back(), "Update Accepted");
  EXPECT_THAT(live.preview.steps[1].message, HasSubstr("v1beta1 is not served any more"));
}

TEST_F(LivePlanPreviewerTest, ADefinitionThatMayNotBeReplacedStopsEverything) {
  cluster_.Create(kTestDefinitions, "", DefinitionText());
  cluster_.Create(kTestMonitors, "other",
                  R"({"apiVersion":"monitoring.coreos.com/v1","kind":"ServiceMonitor",)"
                  R"("metadata":{"name":"old-one"},"spec":{"port":"long"}})");
  constexpr char kStricter[] =
      R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object",)"
      R"("properties":{"spec":{"type":"object","properties":{"port":{"type":"string",)"
      R"("maxLength":3}}}}}}})";
  const LivePreview live = Of({CsvStep(), DefinitionStep(kStricter), ConfigMapStep()});
  EXPECT_THAT(Outcomes(live), ElementsAre("Blocked EarlierStepFails", "Fail RefusedByRule",
                                          "Blocked EarlierStepFails"));
  EXPECT_THAT(live.preview.steps[1].message, HasSubstr("ServiceMonitor other/old-one: spec.port"));
  EXPECT_EQ(live.preview.steps[0].message, "step 2 fails first");
  EXPECT_EQ(witness_.Writes(/*dry=*/true), 0u);
}

TEST_F(LivePlanPreviewerTest, Refusals) {
  struct Row {
    const char* name;
    absl::Status answer;
    bool optional;
    std::vector<std::string> outcomes;  // those of the ServiceMonitor and the ConfigMap
  };
  const absl::Status forbidden = Answer(403, "Forbidden");
  const absl::Status webhook =
      Answer(400, "BadRequest", R"(admission webhook "w" does not support dry run)");
  const std::vector<Row> rows = {
      {"mandatory", forbidden, false, {"Fail Forbidden", "Blocked EarlierStepFails"}},
      {"optional", forbidden, true, {"NotCreated Forbidden", "Create Accepted"}},
      {"webhook", webhook, false, {"Unknown WebhookWithoutDryRun", "Create Accepted"}},
      {"busy",
       Answer(429, "TooManyRequests"),
       true,
       {"Unknown TooManyRequests", "Create Accepted"}},
      {"silence", absl::UnavailableError("reset"), false, {"Unknown NoAnswer", "Create Accepted"}},
  };
  cluster_.Create(kTestDefinitions, "", DefinitionText());
  int number = 0;
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    Refuse("servicemonitors", row.answer);
    const std::string plan = StrCat("install-", 10 + number++);
    cluster_.AddPlan(plan, {CsvStep(), MonitorStep(row.optional), ConfigMapStep()});
    LivePlanPreviewer previewer(kube::DryRunClient(client_), std::nullopt, cluster_.clock(),
                                {.optional_manifests = true});
    ASSERT_OK_AND_ASSIGN(const LivePreview live, RunOn(io_, previewer.PreviewPlan({"ops", plan})));
    const bool fails = row.outcomes[0].starts_with("Fail");
    EXPECT_THAT(Outcomes(live), ElementsAre(fails ? "Blocked EarlierStepFails" : "Create Accepted",
                                            row.outcomes[0], row.outcomes[1]));
  }
}

TEST_F(LivePlanPreviewerTest, AnApiThatIsAbsent) {
  EXPECT_THAT(Outcomes(Of({CsvStep(), MonitorStep(true), ConfigMapStep()})),
              ElementsAre("Create Accepted", "NotCreated ApiAbsent", "Create Accepted"));
  cluster_.Remove(kTestPlans, {"ops", kPlan});
  EXPECT_THAT(
      Outcomes(Of({CsvStep(), MonitorStep(false), ConfigMapStep()})),
      ElementsAre("Blocked EarlierStepFails", "Fail ApiAbsent", "Blocked EarlierStepFails"));
  cluster_.Remove(kTestPlans, {"ops", kPlan});
  witness_.decide = [](const kube::HookedCall& call) {
    return call.verb == kube::ClientVerb::kDiscover ? absl::UnavailableError("reset")
                                                    : absl::OkStatus();
  };
  const LivePreview live = Of({CsvStep(), MonitorStep(true), ConfigMapStep()});
  EXPECT_THAT(Outcomes(live),
              ElementsAre("Create Accepted", "Unknown NoAnswer", "Create Accepted"));
  EXPECT_EQ(live.resources[1]->resource, "*");
}

TEST_F(LivePlanPreviewerTest, WhereNothingCanBeToldItIsAnError) {
  cluster_.AddPlan(kPlan, {CsvStep(), ConfigMapStep()});
  witness_.decide = [](const kube::HookedCall& call) {
    return call.IsWrite() ? absl::UnavailableError("reset") : absl::OkStatus();
  };
  const absl::StatusOr<LivePreview> live = Preview();
  ASSERT_THAT(live, Not(IsOk()));
  EXPECT_EQ(kube::FromStatus(live.status()).code, 503);
  witness_.decide = [](const kube::HookedCall&) { return absl::UnavailableError("reset"); };
  EXPECT_EQ(kube::FromStatus(Preview().status()).code, 503);
}

TEST_F(LivePlanPreviewerTest, NoPlanIsNotFound) {
  const absl::StatusOr<LivePreview> live = Preview();
  EXPECT_TRUE(kube::HasReason(live.status(), "NotFound"));
}

TEST_F(LivePlanPreviewerTest, WaitsForAnOperatorGroup) {
  cluster_.Remove(kTestGroups, {"ops", "group"});
  const LivePreview live = Of({CsvStep()});
  EXPECT_FALSE(live.preview.condition.executable);
  EXPECT_THAT(Outcomes(live), ElementsAre("Blocked InstallCheckFailed"));
  EXPECT_EQ(witness_.Writes(/*dry=*/true), 0u);
}

TEST_F(LivePlanPreviewerTest, ActsAsTheExecutor) {
  cluster_.Merge(kTestGroups, {"ops", "group"}, R"({"spec":{"serviceAccountName":"scoped"}})");
  cluster_.Create(kTestAccounts, "ops",
                  R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"scoped"}})");
  Of({CsvStep(), DefinitionStep(), ConfigMapStep()});
  for (const kube::HookedCall& call : witness_.calls) {
    if (!call.IsWrite()) continue;
    const bool definition = call.gvr == kTestDefinitions;
    EXPECT_EQ(call.as, definition ? "" : "system:serviceaccount:ops:scoped") << call.gvr.resource;
  }
}

TEST_F(LivePlanPreviewerTest, AnInvalidPlan) {
  const LivePreview live =
      Of({CsvStep(),
          {{"apps", "v1", "Deployment"},
           "web",
           R"({"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web"}})"},
          ConfigMapStep()});
  EXPECT_FALSE(live.preview.condition.executable);
  EXPECT_THAT(Outcomes(live),
              ElementsAre("Blocked InvalidPlan", "Blocked UnsupportedKind", "Blocked InvalidPlan"));
  EXPECT_THAT(live.preview.steps[0].message, Not(HasSubstr("web")));
}

TEST_F(LivePlanPreviewerTest, AManifestThatIsNotThere) {
  TestStep elsewhere = ConfigMapStep("hidden");
  elsewhere.manifest = R"({"kind":"ConfigMap","name":"bundle","namespace":"ops"})";
  const LivePreview live = Of({CsvStep(), elsewhere});
  EXPECT_EQ(live.preview.condition.reason, olm::kInvalidPlan);
  EXPECT_THAT(Outcomes(live), ElementsAre("Blocked InvalidPlan", "Blocked InvalidManifest"));
  EXPECT_THAT(live.preview.steps[0].message, Not(HasSubstr("hidden")));
  EXPECT_THAT(live.preview.steps[1].message, HasSubstr("is not there"));
}

TEST_F(LivePlanPreviewerTest, WhatOtherStepsMake) {
  const TestStep binding = {
      {"rbac.authorization.k8s.io", "v1", "RoleBinding"},
      "reed",
      R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding","metadata":)"
      R"({"name":"reed"},"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role",)"
      R"("name":"reed"},"subjects":[]})"};
  Refuse("rolebindings", kube::ToStatus(kube::NotFound(kTestRoles, "reed")));
  const LivePreview live = Of({CsvStep(), RoleStep(), binding, ConfigMapStep(), ConfigMapStep()});
  EXPECT_THAT(Outcomes(live),
              ElementsAre("Create Accepted", "Create Accepted", "Unknown NeedsEarlierStep",
                          "Create Accepted", "Unknown NeedsEarlierStep"));
  cluster_.Remove(kTestPlans, {"ops", kPlan});
  EXPECT_THAT(Outcomes(Of({CsvStep(), binding})),
              ElementsAre("Blocked EarlierStepFails", "Fail NotFound"));
}

TEST_F(LivePlanPreviewerTest, AToken) {
  EXPECT_THAT(Outcomes(Of({CsvStep(), TokenStep()})),
              ElementsAre("Blocked EarlierStepFails", "Fail RefusedByRule"));
}

TEST_F(LivePlanPreviewerTest, ACopyIsInTheWay) {
  cluster_.Create(
      kTestCsvs, "ops",
      R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)"
      R"("metadata":{"name":"reed.v1","labels":{"olm.copiedFrom":"other"}},"spec":{}})");
  EXPECT_THAT(Outcomes(Of({CsvStep(), ConfigMapStep()})),
              ElementsAre("Fail RefusedByRule", "Blocked EarlierStepFails"));
  EXPECT_EQ(witness_.Writes(/*dry=*/true), 0u);
}

TEST_F(LivePlanPreviewerTest, OnlySoManyAreTried) {
  std::vector<TestStep> steps = {CsvStep()};
  for (int i = 0; i < 40; ++i) steps.push_back(ConfigMapStep(StrCat("settings-", i)));
  cluster_.AddPlan(kPlan, steps);
  ASSERT_OK_AND_ASSIGN(const LivePreview live, Preview({.optional_manifests = true,
                                                        .limits = {.width = 4, .max_steps = 30}}));
  const std::vector<std::string> outcomes = Outcomes(live);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), "Create Accepted"), 30);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), "Unknown TooManySteps"), 11);
  EXPECT_LE(witness_.most, 4u);
  EXPECT_GT(witness_.most, 1u);
}

TEST_F(LivePlanPreviewerTest, OnlySoManyKindsAreAskedFor) {
  std::vector<TestStep> steps = {CsvStep()};
  for (size_t i = 0; i < DiscoveredApis::kMaxKinds + 5; ++i) {
    const std::string group = StrCat("g", i, ".example.com");
    steps.push_back({{group, "v1", "ServiceMonitor"},
                     "reed",
                     StrCat(R"({"apiVersion":")", group,
                            R"(/v1","kind":"ServiceMonitor","metadata":{"name":"reed"}})"),
                     true});
  }
  const LivePreview live = Of(steps);
  const std::vector<std::string> outcomes = Outcomes(live);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), "Unknown TooManySteps"), 5);
  EXPECT_EQ(std::count(outcomes.begin(), outcomes.end(), "NotCreated ApiAbsent"), 100);
  const auto unknown = std::find(outcomes.begin(), outcomes.end(), "Unknown TooManySteps");
  EXPECT_EQ(live.resources[unknown - outcomes.begin()]->resource, "*");
}

// A preview makes few calls beside its dry runs.
TEST_F(LivePlanPreviewerTest, AsksLittleElse) {
  std::vector<TestStep> steps = {CsvStep(), DefinitionStep(), AccountStep(), RoleStep()};
  while (steps.size() < 200) steps.push_back(ConfigMapStep(StrCat("settings-", steps.size())));
  Of(steps);
  const size_t dry = witness_.Writes(/*dry=*/true);
  EXPECT_EQ(dry, 200u);
  EXPECT_LE(witness_.calls.size(), dry + 20);
  EXPECT_EQ(witness_.most, PlanDryRunLimits().width);
}

TEST_F(LivePlanPreviewerTest, EndsInTime) {
  cluster_.AddPlan(kPlan, {CsvStep(), ConfigMapStep()});
  client_.Hold({kube::ClientVerb::kCreate, kTestConfigMaps});
  ASSERT_OK_AND_ASSIGN(const LivePreview live, Preview({.limits = {.time = absl::ZeroDuration()}}));
  EXPECT_THAT(Outcomes(live).back(), "Unknown OutOfTime");
}

VoidTask Into(Task<LivePreview> preview, bool* ended) {
  (co_await std::move(preview)).status().IgnoreError();
  *ended = true;
}
VoidTask Nothing() { co_return; }

TEST_F(LivePlanPreviewerTest, IsCancelled) {
  cluster_.AddPlan(kPlan, {CsvStep(), ConfigMapStep()});
  client_.Hold({kube::ClientVerb::kCreate, kTestConfigMaps});
  LivePlanPreviewer previewer(kube::DryRunClient(client_), std::nullopt, cluster_.clock(), {});
  bool ended = false;
  RunOn(io_, UntilOneEnds(Into(previewer.PreviewPlan({"ops", kPlan}), &ended), Nothing()));
  EXPECT_FALSE(ended);
}

VoidTask Count(int* asked) {
  ++*asked;
  co_return;
}

TEST_F(LivePlanPreviewerTest, EachStepThatIsTriedWaitsForThePace) {
  cluster_.AddPlan(kPlan, {CsvStep(), ConfigMapStep(), AccountStep()});
  LivePlanPreviewer previewer(kube::DryRunClient(client_), std::nullopt, cluster_.clock(), {});
  int asked = 0;
  EXPECT_OK(RunOn(io_, previewer.PreviewPlan({"ops", kPlan}, [&asked] { return Count(&asked); })));
  EXPECT_EQ(asked, 3);
}

json::object Manifest(const TestStep& step) { return json::parse(step.manifest).as_object(); }

TEST_F(LivePlanPreviewerTest, BundlesAreOffWithoutAnAccountForThem) {
  LivePlanPreviewer previewer(kube::DryRunClient(client_), std::nullopt, cluster_.clock(), {});
  const absl::StatusOr<LivePreview> live =
      RunOn(io_, previewer.PreviewBundle({"ops", {Manifest(CsvStep())}, ""}, {"alice"}));
  EXPECT_EQ(kube::FromStatus(live.status()).code, 503);
  EXPECT_THAT(witness_.calls, IsEmpty());
}

TEST_F(LivePlanPreviewerTest, ABundleIsTriedAsTheRequester) {
  const std::string properties =
      R"([{"type":"olm.manifests.optional","value":{"manifests":[)"
      R"({"group":"monitoring.coreos.com","kind":"ServiceMonitor","name":"reed"}]}}])";
  const BundleContent bundle = {
      "ops",
      {Manifest(MonitorStep(false)), Manifest(FittingCsvStep()), Manifest(ConfigMapStep())},
      properties};
  ASSERT_OK_AND_ASSIGN(const LivePreview live, PreviewBundle(bundle, {"alice"}));
  EXPECT_TRUE(live.preview.condition.executable);
  EXPECT_THAT(Outcomes(live),
              ElementsAre("Create Accepted", "NotCreated ApiAbsent", "Create Accepted"));
  EXPECT_TRUE(live.preview.steps[1].optional);
  EXPECT_EQ(live.preview.steps[0].gvk.kind, "ClusterServiceVersion");
  EXPECT_EQ(live.preview.steps[2].ns, "ops");
  EXPECT_EQ(live.resources.size(), 3u);
  size_t own = 0;
  for (const kube::HookedCall& call : witness_.calls) {
    const bool looks_for_group = call.gvr == kTestGroups && call.as.empty();
    if (looks_for_group) ++own;
    if (!looks_for_group) EXPECT_EQ(call.as, "alice") << kube::VerbText(call.verb);
  }
  EXPECT_EQ(own, 1u);
  ASSERT_OK_AND_ASSIGN(const LivePreview off, PreviewBundle(bundle, {"alice"}, /*gate=*/false));
  EXPECT_THAT(Outcomes(off), ElementsAre("Blocked EarlierStepFails", "Fail ApiAbsent",
                                         "Blocked EarlierStepFails"));
  EXPECT_TRUE(off.preview.steps[1].declared_optional);
  EXPECT_FALSE(off.preview.steps[1].optional);
}

TEST_F(LivePlanPreviewerTest, WhatARequesterMayNotReadIsUnknown) {
  witness_.decide = [](const kube::HookedCall& call) {
    const bool read = call.verb == kube::ClientVerb::kGet && call.gvr == kTestCsvs;
    return read ? Answer(403, "Forbidden") : absl::OkStatus();
  };
  const BundleContent bundle = {"ops", {Manifest(CsvStep()), Manifest(ConfigMapStep())}, ""};
  ASSERT_OK_AND_ASSIGN(const LivePreview live, PreviewBundle(bundle, {"alice"}));
  EXPECT_THAT(Outcomes(live), ElementsAre("Unknown Forbidden", "Create Accepted"));
  witness_.decide = [](const kube::HookedCall& call) {
    if (call.as.empty()) return absl::OkStatus();
    return Answer(403, "Forbidden", R"(users "alice" is forbidden: cannot impersonate)");
  };
  EXPECT_EQ(kube::FromStatus(PreviewBundle(bundle, {"alice"}).status()).code, 503);
}

TEST_F(LivePlanPreviewerTest, WithoutRightsABundleIsTriedByTheClientItself) {
  kube::UserInfo master = {"root"};
  master.groups = {"system:masters"};
  std::optional<kube::DryRunClient> requesters;
  requesters.emplace(client_);
  LivePlanPreviewer previewer(kube::DryRunClient(client_), std::move(requesters), cluster_.clock(),
                              {.impersonates = false});
  const std::vector<json::object> csv = {Manifest(CsvStep())};
  EXPECT_OK(RunOn(io_, previewer.PreviewBundle({"ops", csv, ""}, master)));
  for (const kube::HookedCall& call : witness_.calls)
    EXPECT_EQ(call.as, "") << kube::VerbText(call.verb);
}

TEST_F(LivePlanPreviewerTest, ABundleWhoseInstallationIsRefused) {
  const struct {
    const char* what;
    TestStep csv;
    std::string properties;
    std::string message;  // the message of the condition
  } rows[] = {
      {"an install mode", CsvStep(), "",
       "spec.installModes: AllNamespaces InstallModeType not supported, cannot configure to watch "
       "all namespaces"},
      {"a definition",
       FittingCsvStep(R"(,"customresourcedefinitions":{"required":[)"
                      R"({"name":"ropes.rope.io","version":"v1","kind":"Rope"}]})"),
       "",
       "spec.customresourcedefinitions.required[0]: needs Rope in rope.io/v1, which this cluster "
       "does not serve"},
      {"a native API",
       FittingCsvStep(R"(,"nativeAPIs":[{"group":"rope.io","version":"v1","kind":"Knot"}])"), "",
       "spec.nativeAPIs[0]: needs Knot in rope.io/v1, which this cluster does not serve"},
      {"dependencies", FittingCsvStep(),
       R"([{"type":"olm.package","value":{"packageName":"reed","version":"1.0.0"}},)"
       R"({"type":"olm.gvk","value":{"group":"a.io","kind":"Own","version":"v1"}},)"
       R"({"type":"olm.gvk.required","value":{"group":"rope.io","kind":"Rope","version":"v1"}},)"
       R"({"type":"olm.package.required","value":{"packageName":"rope","versionRange":"1.x"}}])",
       "olm.gvk: needs Rope in rope.io/v1, which this cluster does not serve; olm.package: needs "
       "the package rope in a version 1.x: no operator in the namespace is known to be of it"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    const BundleContent bundle = {"ops", {Manifest(row.csv)}, row.properties};
    ASSERT_OK_AND_ASSIGN(const LivePreview live, PreviewBundle(bundle, {"alice"}));
    EXPECT_FALSE(live.preview.condition.executable);
    EXPECT_EQ(live.preview.condition.reason, "RequirementsUnmet");
    EXPECT_EQ(live.preview.condition.message, row.message);
    EXPECT_THAT(Outcomes(live), ElementsAre("Create Accepted")) << "what was asked of the cluster";
  }
  const BundleContent bundle = {
      "ops", {Manifest(FittingCsvStep(R"(,"minKubeVersion":"1.0.0")"))}, ""};
  witness_.decide = [](const kube::HookedCall& call) {
    const bool list =
        call.verb == kube::ClientVerb::kList && call.gvr == kTestGroups && !call.as.empty();
    return list ? Answer(503, "ServiceUnavailable") : absl::OkStatus();
  };
  ASSERT_OK_AND_ASSIGN(const LivePreview unknown, PreviewBundle(bundle, {"alice"}));
  EXPECT_EQ(unknown.preview.condition.reason, "RequirementsUnknown");
  EXPECT_FALSE(unknown.preview.condition.executable);
}

TEST_F(LivePlanPreviewerTest, ABundleWaitsForAnOperatorGroup) {
  cluster_.Remove(kTestGroups, {"ops", "group"});
  const BundleContent bundle = {"ops", {Manifest(FittingCsvStep())}, ""};
  ASSERT_OK_AND_ASSIGN(const LivePreview live, PreviewBundle(bundle, {"alice"}));
  EXPECT_FALSE(live.preview.condition.executable);
  EXPECT_EQ(live.preview.condition.reason, olm::kInstallCheckFailed);
  EXPECT_THAT(Outcomes(live), ElementsAre("Blocked InstallCheckFailed"));
  EXPECT_EQ(witness_.Writes(/*dry=*/true), 0u);
}

TEST_F(LivePlanPreviewerTest, NoBundle) {
  struct Row {
    const char* name;
    BundleContent bundle;
    kube::UserInfo user;
    int code;
  };
  const std::vector<json::object> csv = {Manifest(CsvStep())};
  kube::UserInfo master = {"root"};
  master.groups = {"system:masters"};
  const std::vector<Row> rows = {
      {"no operator", {"ops", {Manifest(ConfigMapStep())}, ""}, {"alice"}, 400},
      {"nothing", {"ops", {}, ""}, {"alice"}, 400},
      {"no name", {"ops", {csv[0], json::object{{"kind", "Role"}}}, ""}, {"alice"}, 400},
      {"no JSON", {"ops", csv, "["}, {"alice"}, 400},
      {"no array", {"ops", csv, "{}"}, {"alice"}, 400},
      {"wrong properties",
       {"ops", csv, R"([{"type":"olm.manifests.optional","value":1}])"},
       {"alice"},
       400},
      {"master", {"ops", csv, ""}, master, 403},
      {"nobody", {"ops", csv, ""}, {""}, 403},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const absl::StatusOr<LivePreview> live = PreviewBundle(row.bundle, row.user);
    ASSERT_THAT(live, Not(IsOk()));
    EXPECT_EQ(kube::FromStatus(live.status()).code, row.code) << live.status();
    EXPECT_THAT(witness_.calls, IsEmpty());
  }
  const BundleContent strange = {"ops",
                                 {csv[0], json::object{{"apiVersion", "apps/v1"},
                                                       {"kind", "Deployment"},
                                                       {"metadata", {{"name", "web"}}}}},
                                 ""};
  ASSERT_OK_AND_ASSIGN(const LivePreview live, PreviewBundle(strange, {"alice"}));
  EXPECT_FALSE(live.preview.condition.executable);
  EXPECT_THAT(Outcomes(live), ElementsAre("Blocked InvalidPlan", "Blocked UnsupportedKind"));
}

}  // namespace
}  // namespace steward::controllers
