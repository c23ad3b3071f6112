// Runs random schedules of an InstallPlan's execution. Every call may fail with any class of error,
// lose its answer, or be the last of its process. Another process may work at the same time.
// Approvals, APIs and OperatorGroups come at random times. Objects with the plan's names may exist,
// be of an older version, or be in deletion while a finalizer holds them. This file judges the
// writes and the plan's end from the cluster's JSON and shares no code with the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/seeds/dice.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "controllers/install_plan/testing/plan_cluster.h"
#include "kube/meta/status.h"
#include "kube/testing/trouble.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;

const Seeds kSeeds = SeedsOr({1, ShareOf(200)});

constexpr char kPlan[] = "install-1";
// This is longer than all faults together.
constexpr absl::Duration kPatience = absl::Hours(1);

// A possible answer to a write. It either refuses the manifest or is an error.
struct Answer {
  int code;
  const char* reason;
  bool refuses;
};
constexpr Answer kAnswers[] = {
    {401, "Unauthorized", true},
    {403, "Forbidden", true},
    {404, "NotFound", true},
    {422, "Invalid", true},
    {406, "NotAcceptable", true},
    {415, "UnsupportedMediaType", true},
    {409, "Conflict", true},
    {410, "Gone", false},
    {500, "ServerTimeout", false},
    {504, "Timeout", false},
    {429, "TooManyRequests", false},
    {400, "BadRequest", false},
    {405, "MethodNotAllowed", false},
    {413, "RequestEntityTooLarge", false},
    {500, "InternalError", false},
    {410, "Expired", false},
    {503, "ServiceUnavailable", false},
    {0, "", false},  // no answer at all
};

absl::Status ErrorOf(const Answer& answer) {
  if (answer.code == 0) return absl::UnavailableError("connection refused");
  kube::Status status;
  status.code = answer.code;
  status.reason = answer.reason;
  status.message = StrCat("injected: ", answer.reason);
  return kube::ToStatus(status);
}

std::string Text(const json::value& object, std::initializer_list<const char*> path) {
  const json::value* at = &object;
  for (const char* key : path) {
    const json::object* members = at->if_object();
    at = members == nullptr ? nullptr : members->if_contains(key);
    if (at == nullptr) return "";
  }
  return at->is_string() ? std::string(at->get_string()) : "";
}

// Returns the resource of a kind from a table of this file.
kube::GroupVersionResource ResourceOf(const kube::GroupVersionKind& gvk) {
  static const std::map<std::string, std::string> kPlurals = {
      {"ClusterServiceVersion", "clusterserviceversions"},
      {"CustomResourceDefinition", "customresourcedefinitions"},
      {"ServiceMonitor", "servicemonitors"},
      {"ConfigMap", "configmaps"},
      {"Secret", "secrets"},
      {"ServiceAccount", "serviceaccounts"},
      {"Role", "roles"}};
  return {gvk.group, gvk.version, kPlurals.at(gvk.kind)};
}

class Schedule : public Dice {
 public:
  explicit Schedule(unsigned seed) : Dice(seed) {}

  void Play() {
    Prepare();
    for (int pass = 0; pass < 25 && !Ended(); ++pass) {
      Happen();
      Run(/*calm=*/false);
      cluster_.clock().Advance(absl::Seconds(Draw(20)));
    }
    // From here on, every precondition is met and no call fails.
    if (!approved_) Approve();
    if (!grouped_) AddGroup();
    LetGo();
    for (int pass = 0; pass < 40 && !Ended(); ++pass) {
      Run(/*calm=*/true);
      cluster_.clock().Advance(absl::Seconds(5));
    }
    if (!Ended()) {
      // Only a mandatory manifest whose API is absent keeps the plan from completing.
      cluster_.clock().Advance(kPatience);
      for (int pass = 0; pass < 3; ++pass) Run(/*calm=*/true);
    }
    Judge();
    const int writes = writes_;
    Run(/*calm=*/true);
    EXPECT_EQ(writes_, writes) << "what has ended is not touched";
  }

 private:
  bool Ended() {
    const std::string phase = cluster_.Phase(kPlan);
    return phase == "Complete" || phase == "Failed";
  }

  void Prepare() {
    supplied_ = OneIn(3);
    optional_ = !OneIn(3);
    served_ = !supplied_ && OneIn(3);
    approved_ = !OneIn(3);
    grouped_ = !OneIn(3);
    scoped_ = OneIn(3);
    std::string bad;
    if (OneIn(2)) {
      bad = R"(,"namespace":"other","finalizers":["x.y/z"],"labels":)"
            R"({"steward.operatorframework.io/opt-in-confirmed":"x","olm.copiedFrom":"other"})";
    }
    steps_ = {CsvStep(bad),
              MonitorStep(optional_, bad),
              ConfigMapStep("settings", bad),
              AccountStep(),
              TokenStep(),
              RoleStep()};
    if (supplied_) steps_.push_back(DefinitionStep());
    std::shuffle(steps_.begin(), steps_.end(), random());
    if (served_) cluster_.Create(kTestDefinitions, "", DefinitionText());
    if (OneIn(3)) {
      InstallOlder();
    } else if (OneIn(3)) {
      cluster_.Create(kTestConfigMaps, "ops",
                      R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}})");
    }
    for (const TestStep& step : {ConfigMapStep(), AccountStep(), RoleStep()}) {
      if (OneIn(4)) DeleteHeld(step);
    }
    cluster_.Remove(kTestGroups, {"ops", "group"});
    cluster_.Create(kTestAccounts, "ops",
                    R"({"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"scoped"}})");
    if (grouped_) AddGroup();
    cluster_.AddPlan(kPlan, steps_, approved_);
  }

  // Adds the ConfigMap and the Role of an older version; somebody has added a key.
  void InstallOlder() {
    std::vector<TestStep> older = {CsvStep(), ConfigMapStep(), RoleStep()};
    older[0].name = "reed.v0";
    older[0].manifest.replace(older[0].manifest.find("reed.v1"), 7, "reed.v0");
    older[1].manifest = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},)"
                        R"("data":{"a":"0","old":"1"}})";
    for (TestStep& step : older) step.resolving = "reed.v0";
    cluster_.AddPlan("install-0", older);
    PlanProcess(cluster_).Settle("install-0");
    EXPECT_EQ(cluster_.Phase("install-0"), "Complete");
    cluster_.Merge(kTestConfigMaps, {"ops", "settings"}, R"({"data":{"custom":"mine"}})");
    added_ = true;
  }

  // Adds an object of the step's name that is being deleted and waits for its finalizer.
  void DeleteHeld(const TestStep& step) {
    const kube::GroupVersionResource gvr = ResourceOf(step.gvk);
    const kube::NamespacedName name = {"ops", step.name};
    if (cluster_.Find(gvr, name).is_null()) {
      cluster_.Create(gvr, "ops", step.manifest);
    } else if (step.gvk.kind == "ConfigMap") {
      added_ = false;  // the added key is gone with the object
    }
    cluster_.Merge(gvr, name, R"({"metadata":{"finalizers":["example.com/held"]}})");
    cluster_.Remove(gvr, name);
    held_.emplace_back(gvr, name);
  }
  void LetGo() {
    for (const auto& [gvr, name] : held_) {
      cluster_.Merge(gvr, name, R"({"metadata":{"finalizers":null}})");
    }
    held_.clear();
  }

  void AddGroup() {
    grouped_ = true;
    cluster_.Create(kTestGroups, "ops",
                    StrCat(R"({"apiVersion":"operators.coreos.com/v1","kind":"OperatorGroup",)",
                           R"("metadata":{"name":"g"},"spec":{)",
                           scoped_ ? R"("serviceAccountName":"scoped")" : "", "}}"));
  }
  void Approve() {
    approved_ = true;
    cluster_.Merge(kTestPlans, {"ops", kPlan}, R"({"spec":{"approved":true}})");
  }

  // Simulates people who act between passes.
  void Happen() {
    if (!approved_ && OneIn(4)) Approve();
    if (!grouped_ && OneIn(4)) AddGroup();
    if (OneIn(8)) LetGo();
    if (!served_ && !supplied_ && OneIn(12)) {
      served_ = true;
      cluster_.Create(kTestDefinitions, "", DefinitionText());
    }
  }

  void Run(bool calm) {
    PlanProcess process(cluster_,
                        {.gate = true, .retry_timeout = kPatience, .hooks_dry_runs = true});
    process.hook().decide = [&](const kube::HookedCall& call) { return Decide(call, calm, 0); };
    process.Pass(kPlan);
  }

  kube::HookedFate Decide(const kube::HookedCall& call, bool calm, int depth) {
    if (call.writes()) JudgeWrite(call);
    const bool discovery = call.verb == kube::ClientVerb::kDiscover;
    if (discovery && !served_ && !supplied_) monitor_may_be_left_ = true;
    if (calm) return {};
    if (depth == 0 && OneIn(24)) {
      // Another process runs a pass meanwhile, of which this one does not know yet.
      PlanProcess other(cluster_, {.gate = true, .retry_timeout = kPatience});
      other.hook().decide = [&](const kube::HookedCall& inner) { return Decide(inner, calm, 1); };
      other.Pass(kPlan);
      return {};
    }
    if (!OneIn(6)) return {};
    const Answer& answer = kAnswers[Draw(std::size(kAnswers))];
    kube::HookedFate fate = kube::AnyTrouble(*this, {ErrorOf(answer)});
    if (fate.error.ok()) return fate;
    // The call writes the monitor, or reads an existing one before a change.
    const bool of_monitor = call.gvr.resource == "servicemonitors";
    if (of_monitor && answer.refuses) monitor_may_be_left_ = true;
    // Discovery itself has said that there is no such API.
    if (discovery && answer.code == 404 && !supplied_) monitor_may_be_left_ = true;
    return fate;
  }

  bool IsEstablished() {
    const json::value definition =
        cluster_.Find(kTestDefinitions, {"", "servicemonitors.monitoring.coreos.com"});
    return !definition.is_null();
  }

  void JudgeWrite(const kube::HookedCall& call) {
    ++writes_;
    const std::string what = StrCat(kube::VerbText(call.verb), " ", call.gvr.resource, " ",
                                    call.name.ns, "/", call.name.name, " as '", call.as, "'");
    EXPECT_NE(call.verb, kube::ClientVerb::kDelete) << what;
    if (call.gvr.resource == "installplans") {
      EXPECT_EQ(call.as, "") << what;
      return;
    }
    EXPECT_TRUE(approved_) << what;
    EXPECT_TRUE(grouped_) << what;
    const bool definition = call.gvr.resource == "customresourcedefinitions";
    EXPECT_EQ(call.name.ns, definition ? "" : "ops") << what;
    EXPECT_EQ(call.as, scoped_ && !definition ? "system:serviceaccount:ops:scoped" : "") << what;
    const std::string text = Serialize(*call.body);
    EXPECT_EQ(text.find("x.y/z"), std::string::npos) << what << text;
    EXPECT_EQ(text.find("opt-in-confirmed"), std::string::npos) << what << text;
    EXPECT_EQ(text.find("copiedFrom"), std::string::npos) << what << text;
    if (call.gvr.resource == "clusterserviceversions" || definition) return;
    EXPECT_TRUE(!supplied_ || IsEstablished()) << "definitions first: " << what;
    if (call.gvr.resource == "secrets") {
      EXPECT_FALSE(cluster_.Find(kTestAccounts, {"ops", "reed"}).is_null()) << "accounts first";
    }
  }

  void Judge() {
    const json::object status = cluster_.Status(kPlan);
    const std::string all = Serialize(status);
    const json::array& plan = status.at("plan").as_array();
    const bool must_fail = !optional_ && !served_ && !supplied_;
    EXPECT_EQ(cluster_.Phase(kPlan), must_fail ? "Failed" : "Complete") << all;
    ASSERT_EQ(plan.size(), steps_.size());
    for (size_t i = 0; i < plan.size(); ++i) {
      const TestStep& step = steps_[i];
      EXPECT_EQ(Text(plan[i], {"resource", "name"}), step.name) << "the order stays: " << all;
      const std::string state = Text(plan[i], {"status"});
      const bool monitor = step.gvk.kind == "ServiceMonitor";
      if (state == "NotCreated") {
        EXPECT_TRUE(monitor && optional_ && monitor_may_be_left_) << step.name << all;
        EXPECT_NE(Text(status, {"message"}).find(step.name), std::string::npos) << all;
        continue;
      }
      if (must_fail && state != "Created" && state != "Present") continue;
      EXPECT_TRUE(state == "Created" || state == "Present") << state << all;
      const bool cluster_scoped = step.gvk.kind == "CustomResourceDefinition";
      const json::value there =
          cluster_.Find(ResourceOf(step.gvk), {cluster_scoped ? "" : "ops", step.name});
      ASSERT_FALSE(there.is_null()) << step.name << all;
      EXPECT_EQ(Text(there, {"metadata", "deletionTimestamp"}), "") << step.name << all;
      json::object wanted = json::parse(step.manifest).as_object();
      if (added_ && step.gvk.kind == "ConfigMap") wanted["data"].as_object()["custom"] = "mine";
      for (const char* part : {"spec", "data", "type", "rules"}) {
        const json::value* value = wanted.if_contains(part);
        if (value == nullptr || cluster_scoped) continue;
        EXPECT_EQ(there.at(part), *value) << step.name;
      }
    }
    for (const json::object& config : cluster_.All(kTestConfigMaps)) {
      EXPECT_EQ(Text(config, {"metadata", "namespace"}), "ops");
    }
  }

  PlanCluster cluster_;
  std::vector<TestStep> steps_;
  bool supplied_ = false;  // the plan brings the definition of ServiceMonitors
  bool served_ = false;    // the cluster serves ServiceMonitors
  bool optional_ = false;
  bool approved_ = false;
  bool grouped_ = false;
  bool scoped_ = false;
  // True once the cluster has refused the ServiceMonitor or said that there is no such API.
  bool monitor_may_be_left_ = false;
  // Objects that are being deleted, and wait for a finalizer.
  std::vector<std::pair<kube::GroupVersionResource, kube::NamespacedName>> held_;
  bool added_ = false;  // the ConfigMap has a key that no manifest brought
  int writes_ = 0;
};

// Kills the process before and after every single write.
TEST(InstallPlanScheduleTest, GoesOnAfterADeathAtEveryWrite) {
  PlayDeaths(/*most=*/100, [](int at, bool after) {
    PlanCluster cluster;
    cluster.AddPlan(kPlan, {MonitorStep(true), TokenStep(), ConfigMapStep(), RoleStep(),
                            AccountStep(), DefinitionStep(), CsvStep()});
    int writes = 0;
    for (int process = 0; process < 10 && cluster.Phase(kPlan) != "Complete"; ++process) {
      PlanProcess one(cluster);
      one.hook().decide = [&](const kube::HookedCall& call) {
        if (!call.writes() || writes++ != at) return kube::HookedFate::kPass;
        return after ? kube::HookedFate::kDieAfter : kube::HookedFate::kDieBefore;
      };
      one.Pass(kPlan);
    }
    EXPECT_EQ(cluster.Phase(kPlan), "Complete") << cluster.Message(kPlan);
    EXPECT_EQ(cluster.Steps(kPlan).find("NotCreated"), std::string::npos) << cluster.Steps(kPlan);
    EXPECT_EQ(cluster.All(kTestMonitors).size(), 1);
    EXPECT_EQ(cluster.All(kTestSecrets).size(), 1);
    EXPECT_EQ(cluster.All(kTestRoles).size(), 1);
    return writes > at;
  });
}

TEST(InstallPlanScheduleTest, EndsRightWhateverHappens) {
  PlaySeeds(kSeeds, [](unsigned seed) { Schedule(seed).Play(); });
}

}  // namespace
}  // namespace steward::controllers
