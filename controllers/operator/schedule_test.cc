// Runs random schedules of Operators. Every call may fail, lose its answer, or be the last of its
// process. Watches may be late, and two processes work at the same time. People install, upgrade
// and uninstall, and edit labels and Operators, at random times. This file judges the writes and
// the end from the cluster's JSON and shares no code with the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/json/json_text.h"
#include "base/seeds/dice.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "controllers/operator/testing/operator_cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "kube/testing/trouble.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;

const Seeds kSeeds = SeedsOr({1, ShareOf(200)});

constexpr char kPrefix[] = "operators.coreos.com/";
constexpr char kGenerated[] = "steward.operatorframework.io/generated";
constexpr std::array<const char*, 4> kCsvs = {
    "reed.v1", "reed.v2", "moss.v1",
    "c-name-that-is-longer-than-what-a-label-can-hold-if-it-is-cut-x.v1"};
// After it is cut, this name gives the same Operator as the last of kCsvs.
constexpr char kLongPackage[] =
    "c-name-that-is-longer-than-what-a-label-can-hold-if-it-is-cut-x.v2";
constexpr char kDefinition[] = "reeds.example.com";

const json::value* At(const json::value& object, std::initializer_list<const char*> path) {
  const json::value* at = &object;
  for (const char* key : path) {
    const json::object* members = at->if_object();
    at = members == nullptr ? nullptr : members->if_contains(key);
    if (at == nullptr) return nullptr;
  }
  return at;
}

std::string Text(const json::value& object, std::initializer_list<const char*> path) {
  const json::value* value = At(object, path);
  return value != nullptr && value->is_string() ? std::string(value->get_string()) : "";
}

std::string Cut(std::string name) {
  if (name.size() <= 63) return name;
  name.resize(63);
  while (name.back() == '.' || name.back() == '-' || name.back() == '_') name.pop_back();
  return name;
}

bool IsCopy(const json::value& object) {
  return At(object, {"metadata", "labels", "olm.copiedFrom"}) != nullptr;
}

std::set<std::string> OperatorLabels(const json::value& object) {
  std::set<std::string> names;
  const json::value* labels = At(object, {"metadata", "labels"});
  if (labels == nullptr) return names;
  for (const auto& [key, value] : labels->as_object()) {
    const std::string label(key);
    if (label.starts_with(kPrefix)) names.insert(label.substr(std::size(kPrefix) - 1));
  }
  return names;
}

// A kind of this test, from a table of this file.
struct Kind {
  kube::GroupVersionResource gvr;
  const char* kind;
  bool managed;
  bool conditions;
};
const std::vector<Kind>& Kinds() {
  static const auto& kinds =
      *new std::vector<Kind>{{kTestCsvs, "ClusterServiceVersion", false, false},
                             {kTestSubscriptions, "Subscription", false, true},
                             {kTestPlans, "InstallPlan", false, true},
                             {kTestDefinitions, "CustomResourceDefinition", true, true},
                             {kTestDeployments, "Deployment", true, true},
                             {kTestRoles, "Role", true, false}};
  return kinds;
}

struct Found {
  const Kind* kind;
  kube::NamespacedName name;
  json::value object;
};

class Schedule : public Dice {
 public:
  explicit Schedule(unsigned seed) : Dice(seed) {
    for (int i = 0; i < 8; ++i) Happen();
  }

  void Play() {
    cluster_.client().lag = [this] { return absl::Seconds(OneIn(3) ? Draw(40) : 0); };
    for (int pass = 0; pass < 25; ++pass) {
      Happen();
      std::unique_ptr<OperatorProcess>& process = processes_[Draw(2)];
      if (process == nullptr || OneIn(10)) process = Start();
      process->Look();
      cluster_.clock().Advance(absl::Seconds(Draw(20)));
      process->Settle();
      if (process->died()) process.reset();
    }
    Calm();
  }

  // Ends all trouble: no call fails, and one process works.
  void Calm() {
    for (auto& process : processes_) process.reset();
    calm_ = true;
    cluster_.client().lag = nullptr;
    processes_[0] = Start();
    processes_[0]->Finish();
    Judge();
    const int writes = writes_;
    processes_[0]->Finish();
    processes_[0] = Start();
    processes_[0]->Finish();
    EXPECT_EQ(writes_, writes) << "what is right is not written again";
  }

  // The process ends at write `at`, before or after it. Returns whether it came so far.
  bool PlayToDeathAt(int at, bool after) {
    death_at_ = at;
    death_after_ = after;
    calm_ = true;
    processes_[0] = Start();
    processes_[0]->Finish();
    const bool died = processes_[0]->died();
    death_at_ = -1;
    Calm();
    return died;
  }

  OperatorCluster& cluster() { return cluster_; }

 private:
  std::unique_ptr<OperatorProcess> Start() {
    auto process = std::make_unique<OperatorProcess>(cluster_);
    const OperatorProcess* self = process.get();
    process->hook().decide = [this, self](const kube::HookedCall& call) {
      return Decide(*self, call);
    };
    return process;
  }

  bool Has(const kube::GroupVersionResource& gvr, const kube::NamespacedName& name) const {
    return cluster_.fake().Objects(gvr).contains(name);
  }

  // Simulates people who act between passes and while a process works.
  void Happen() {
    const std::string csv = kCsvs[Draw(kCsvs.size())];
    const std::string any = StrCat("x", Draw(3));
    switch (Draw(14)) {
      case 0:
      case 1:
        if (!Has(kTestCsvs, {"ops", csv})) cluster_.PutCsv(csv, "", kDefinition);
        return;
      case 2:
        return cluster_.Remove(kTestCsvs, {"ops", csv});
      case 3:
        if (Has(kTestSubscriptions, {"ops", "s"})) {
          return cluster_.Merge(
              kTestSubscriptions, {"ops", "s"},
              StrCat(R"({"status":{"installedCSV":"reed.v)", 1 + Draw(2),
                     R"(","currentCSV":"reed.v2","installPlanRef":{"name":"x)", Draw(3), "\"}}}"),
              "status");
        }
        return cluster_.PutSubscription("s", "reed", R"({"installedCSV":"reed.v1"})");
      case 4:
        return cluster_.Remove(kTestSubscriptions, {"ops", OneIn(2) ? "s" : "long"});
      case 5:
        if (!Has(kTestSubscriptions, {"ops", "long"})) {
          cluster_.PutSubscription("long", kLongPackage);
        }
        return;
      case 6:
        if (!Has(kTestDefinitions, {"", kDefinition})) {
          cluster_.PutManaged(kTestDefinitions, {"", kDefinition});
        }
        return;
      case 7:
        return cluster_.Remove(kTestDefinitions, {"", kDefinition});
      case 8:
        if (Has(kTestCsvs, {"ops", csv}) && !Has(kTestDeployments, {"ops", any})) {
          cluster_.PutManaged(kTestDeployments, {"ops", any}, "", OwnedBy(cluster_, csv));
        }
        if (!Has(kTestRoles, {"other", any})) {
          cluster_.PutManaged(kTestRoles, {"other", any}, OwnerLabels(csv));
        }
        return;
      case 9:
        return cluster_.Remove(OneIn(2) ? kTestDeployments : kTestRoles,
                               {OneIn(2) ? "ops" : "other", any});
      case 10:
        if (Has(kTestDeployments, {"ops", any})) {
          cluster_.Merge(kTestDeployments, {"ops", any},
                         StrCat(R"({"status":{"conditions":[{"type":"Available","status":")",
                                OneIn(2) ? "True" : "False", "\"}]}}"),
                         "status");
        }
        if (!Has(kTestPlans, {"ops", any})) {
          cluster_.fake().Put(kTestPlans,
                              StrCat(R"({"metadata":{"namespace":"ops","name":")", any, "\"}}"));
        }
        return;
      case 11:
        if (!Has(kTestCsvs, {"other", csv})) {
          cluster_.PutCsv(csv, R"(,"labels":{"olm.copiedFrom":"ops","operators.coreos.com/a":""})",
                          "", "other");
        }
        return;
      case 12:
        return MeddleWithOperators();
      default:
        return LoseALabel();
    }
  }

  void MeddleWithOperators() {
    const std::set<std::string> names = cluster_.Operators();
    if (!names.empty() && OneIn(2)) {
      const std::string name = *std::next(names.begin(), Draw(names.size()));
      foreign_.erase(name);
      return cluster_.Remove(kTestOperators, {"", name});
    }
    const std::string name = Cut(StrCat(kCsvs[Draw(2)], ".ops"));
    if (names.contains(name)) return;
    foreign_.insert(name);
    cluster_.fake().Put(kTestOperators, StrCat(R"({"metadata":{"name":")", name, "\"}}"));
  }

  void LoseALabel() {
    std::vector<Found> all;
    for (Found& found : All()) {
      if (!OperatorLabels(found.object).empty()) all.push_back(std::move(found));
    }
    if (all.empty()) return;
    const Found& found = all[Draw(all.size())];
    cluster_.Merge(found.kind->gvr, found.name,
                   StrCat(R"({"metadata":{"labels":{")", kPrefix,
                          *OperatorLabels(found.object).begin(), R"(":null}}})"));
  }

  // Returns all objects that could be components.
  std::vector<Found> All() const {
    std::vector<Found> all;
    for (const Kind& kind : Kinds()) {
      for (const auto& [name, text] : cluster_.fake().Objects(kind.gvr)) {
        json::value object = json::parse(text);
        if (IsCopy(object)) continue;
        if (kind.managed && Text(object, {"metadata", "labels", "olm.managed"}) != "true") continue;
        all.push_back({&kind, name, std::move(object)});
      }
    }
    return all;
  }

  kube::HookedFate Decide(const OperatorProcess& process, const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kGet && call.gvr == kTestOperators)
      meddled_[&process] = meddlings_;
    if (call.writes()) JudgeWrite(process, call);
    if (call.writes() && writes_ - 1 == death_at_) {
      return death_after_ ? kube::HookedFate::kDieAfter : kube::HookedFate::kDieBefore;
    }
    if (calm_) return {};
    if (OneIn(20)) Meddle(process);
    if (!OneIn(6)) return {};
    return kube::AnyTrouble(
        *this, {kube::ToStatus(kube::ServiceUnavailable("injected", 1)),
                kube::ToStatus(kube::NotFoundPath()),
                kube::ToStatus(kube::Conflict(call.gvr, call.name.name, "injected")),
                kube::ToStatus(kube::Forbidden(call.gvr, call.name.name, "injected"))});
  }

  // While this process waits for its call, somebody acts and the other process works.
  void Meddle(const OperatorProcess& process) {
    if (meddling_) return;
    meddling_ = true;
    ++meddlings_;
    if (OneIn(2)) Happen();
    for (const auto& other : processes_) {
      if (other == nullptr || other.get() == &process || other->died()) continue;
      if (OneIn(2)) other->Look();
      other->Settle();
    }
    meddling_ = false;
  }

  void JudgeWrite(const OperatorProcess& process, const kube::HookedCall& call) {
    ++writes_;
    const std::string what =
        StrCat(kube::VerbText(call.verb), " ", call.gvr.resource, " ", call.name.ns, "/",
               call.name.name, " ", call.body == nullptr ? "" : Serialize(*call.body));
    if (call.verb == kube::ClientVerb::kPatch) return JudgeLabels(call, what);
    ASSERT_EQ(call.gvr, kTestOperators) << what;
    const json::value there = cluster_.Find(kTestOperators, {"", call.name.name});
    if (call.verb == kube::ClientVerb::kCreate) {
      EXPECT_EQ(Text(*call.body, {"metadata", "annotations", kGenerated}), "true") << what;
      return;
    }
    if (call.verb == kube::ClientVerb::kUpdate) {
      JudgeOrder(*call.body, what);
      return;
    }
    ASSERT_EQ(call.verb, kube::ClientVerb::kDelete) << what;
    ASSERT_FALSE(call.deletion->uid.empty()) << what;
    ASSERT_FALSE(call.deletion->resource_version.empty()) << what;
    if (there.is_null() || Text(there, {"metadata", "uid"}) != call.deletion->uid) return;
    EXPECT_EQ(Text(there, {"metadata", "annotations", kGenerated}), "true") << what;
    // Judge only if nobody else has acted since the read.
    if (meddled_[&process] != meddlings_) return;
    for (const Found& found : All()) {
      EXPECT_FALSE(OperatorLabels(found.object).contains(call.name.name))
          << what << " is borne by " << found.name.name;
    }
  }

  void JudgeLabels(const kube::HookedCall& call, const std::string& what) {
    ASSERT_TRUE(call.body->is_object()) << what;
    ASSERT_EQ(call.body->as_object().size(), 1) << what;
    const json::object& metadata = call.body->at("metadata").as_object();
    ASSERT_EQ(metadata.size(), 2) << what;
    const std::string uid(metadata.at("uid").as_string());
    EXPECT_NE(uid, "") << what;
    const json::value there = cluster_.Find(call.gvr, call.name);
    const bool same = Text(there, {"metadata", "uid"}) == uid;
    for (const auto& [key, value] : metadata.at("labels").as_object()) {
      ASSERT_TRUE(std::string(key).starts_with(kPrefix)) << what;
      ASSERT_TRUE(value.is_null() || value == "") << what;
      EXPECT_FALSE(same && value == "" && IsCopy(there)) << what;
    }
  }

  void JudgeOrder(const json::value& object, const std::string& what) {
    const json::value* refs = At(object, {"status", "components", "refs"});
    if (refs == nullptr) return;
    std::vector<std::tuple<std::string, std::string, std::string, std::string>> order;
    for (const json::value& ref : refs->as_array()) {
      order.emplace_back(Text(ref, {"kind"}), Text(ref, {"apiVersion"}), Text(ref, {"namespace"}),
                         Text(ref, {"name"}));
    }
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << what;
    EXPECT_EQ(std::set(order.begin(), order.end()).size(), order.size()) << what;
  }

  // Returns the cluster's Subscriptions: the label that each asks for, and the object.
  std::vector<std::pair<std::string, json::value>> Subscriptions() const {
    std::vector<std::pair<std::string, json::value>> all;
    for (const auto& [name, text] : cluster_.fake().Objects(kTestSubscriptions)) {
      json::value object = json::parse(text);
      all.emplace_back(Cut(StrCat(Text(object, {"spec", "name"}), ".", name.ns)),
                       std::move(object));
    }
    return all;
  }

  void Judge() {
    const std::vector<Found> all = All();
    JudgeAdoption(all);
    std::set<std::string> borne;
    for (const Found& found : all) borne.merge(OperatorLabels(found.object));
    for (const std::string& name : borne) JudgeOperator(name, all);
    for (const std::string& name : cluster_.Operators()) {
      if (borne.contains(name)) continue;
      EXPECT_TRUE(foreign_.contains(name)) << name << " is left over";
      EXPECT_TRUE(cluster_.Refs(name).empty()) << name;
    }
    for (const std::string& name : foreign_) {
      EXPECT_TRUE(cluster_.Operators().contains(name)) << "deleted: " << name;
    }
    for (const auto& [name, text] : cluster_.fake().Objects(kTestCsvs)) {
      const json::value object = json::parse(text);
      EXPECT_FALSE(IsCopy(object) && !OperatorLabels(object).empty()) << text;
    }
  }

  void JudgeAdoption(const std::vector<Found>& all) {
    const auto subscriptions = Subscriptions();
    std::map<std::string, std::set<std::string>> plans;  // the key is the label
    for (const auto& [label, object] : subscriptions) {
      EXPECT_TRUE(OperatorLabels(object).contains(label)) << Serialize(object);
      plans[label].insert(Text(object, {"status", "installPlanRef", "name"}));
    }
    std::map<std::string, const json::value*> csvs;
    for (const Found& found : all) {
      const std::set<std::string> labels = OperatorLabels(found.object);
      if (found.kind->gvr == kTestPlans) {
        for (const auto& [label, referred] : plans) {
          EXPECT_EQ(labels.contains(label), referred.contains(found.name.name)) << found.name.name;
        }
      }
      if (found.kind->gvr != kTestCsvs) continue;
      csvs[found.name.name] = &found.object;
      EXPECT_FALSE(labels.empty()) << found.name.name;
      const std::string own = Cut(StrCat(found.name.name, ".ops"));
      bool installed = false;
      bool shared = foreign_.contains(own);
      for (const auto& [label, object] : subscriptions) {
        shared = shared || label == own;
        if (Text(object, {"status", "installedCSV"}) != found.name.name &&
            Text(object, {"status", "currentCSV"}) != found.name.name) {
          continue;
        }
        installed = true;
        EXPECT_TRUE(labels.contains(label)) << found.name.name;
      }
      EXPECT_FALSE(installed && !shared && labels.contains(own)) << found.name.name;
    }
    for (const Found& found : all) {
      for (const auto& [name, csv] : csvs) {
        if (!IsOwned(found, *csv, name)) continue;
        for (const std::string& label : OperatorLabels(*csv)) {
          EXPECT_TRUE(OperatorLabels(found.object).contains(label))
              << found.name.name << " of " << name << " lacks " << label;
        }
      }
    }
  }

  static bool IsOwned(const Found& found, const json::value& csv, const std::string& name) {
    if (found.kind->gvr == kTestDefinitions) return true;  // all operators own the same definition
    if (Text(found.object, {"metadata", "labels", "olm.owner"}) == name) return true;
    const json::value* owners = At(found.object, {"metadata", "ownerReferences"});
    if (owners == nullptr) return false;
    const json::array& all = owners->as_array();
    return std::any_of(all.begin(), all.end(), [&csv](const json::value& owner) {
      return Text(owner, {"uid"}) == Text(csv, {"metadata", "uid"});
    });
  }

  void JudgeOperator(const std::string& name, const std::vector<Found>& all) {
    const json::value object = cluster_.Find(kTestOperators, {"", name});
    ASSERT_FALSE(object.is_null()) << "there is no " << name;
    std::set<std::string> expected;
    for (const Found& found : all) {
      if (!OperatorLabels(found.object).contains(name)) continue;
      std::string condition;
      if (found.kind->gvr == kTestCsvs) condition = Text(found.object, {"status", "phase"});
      const json::value* conditions = At(found.object, {"status", "conditions"});
      if (found.kind->conditions && conditions != nullptr) {
        condition = Text(conditions->as_array().front(), {"status"});
      }
      expected.insert(
          StrCat(found.kind->kind, " ", found.name.ns, "/", found.name.name, " ", condition));
    }
    std::set<std::string> shown;
    if (const json::value* refs = At(object, {"status", "components", "refs"})) {
      for (const json::value& ref : refs->as_array()) {
        std::string condition;
        if (const json::value* conditions = At(ref, {"conditions"})) {
          const json::value& first = conditions->as_array().front();
          const bool csv = Text(ref, {"kind"}) == "ClusterServiceVersion";
          condition = Text(first, {csv ? "type" : "status"});
        }
        shown.insert(StrCat(Text(ref, {"kind"}), " ", Text(ref, {"namespace"}), "/",
                            Text(ref, {"name"}), " ", condition));
      }
    }
    EXPECT_EQ(shown, expected) << name;
    JudgeOrder(object, name);
  }

  mutable OperatorCluster cluster_;
  std::array<std::unique_ptr<OperatorProcess>, 2> processes_;
  std::set<std::string> foreign_;  // Operators that somebody else made
  bool calm_ = false;
  bool meddling_ = false;
  int meddlings_ = 0;
  std::map<const OperatorProcess*, int> meddled_;  // as of the last read of an Operator
  int writes_ = 0;
  int death_at_ = -1;
  bool death_after_ = false;
};

// Kills the process before and after every single write, during an installation and after an
// uninstallation.
TEST(OperatorScheduleTest, GoesOnAfterADeathAtEveryWrite) {
  PlayDeaths(/*most=*/100, [](int at, bool after) {
    Schedule schedule(/*seed=*/7);
    OperatorCluster& cluster = schedule.cluster();
    cluster.PutSubscription("t", "moss",
                            R"({"installedCSV":"moss.v1","installPlanRef":{"name":"y"}})");
    if (cluster.Find(kTestCsvs, {"ops", "moss.v1"}).is_null()) {
      cluster.PutCsv("moss.v1", R"(,"labels":{"operators.coreos.com/moss.v1.ops":""})",
                     kDefinition);
    }
    cluster.fake().Put(kTestPlans, R"({"metadata":{"namespace":"ops","name":"y"}})");
    cluster.PutManaged(kTestRoles, {"ops", "moss"}, OwnerLabels("moss.v1"));
    cluster.fake().Put(kTestOperators, StrCat(R"({"metadata":{"name":"gone.ops","annotations":{")",
                                              kGenerated, R"(":"true"}}})"));
    return schedule.PlayToDeathAt(at, after);
  });
}

TEST(OperatorScheduleTest, EndsRightWhateverHappens) {
  PlaySeeds(kSeeds, [](unsigned seed) { Schedule(seed).Play(); });
}

}  // namespace
}  // namespace steward::controllers
