// Runs random schedules in which people, operators and servers act while copies are made. This file
// computes the expected end from the cluster's JSON and shares no code with the rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/seeds/dice.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "controllers/copied_csv/testing/copies_process.h"
#include "controllers/copies/copy_toggle.h"
#include "controllers/copies/testing/copy_cluster.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;

const Seeds kSeeds = SeedsOr({1, ShareOf(200)});

std::string At(const json::object& object, std::initializer_list<const char*> path) {
  const json::value* value = nullptr;
  const json::object* members = &object;
  for (const char* key : path) {
    if (members == nullptr) return "";
    value = members->if_contains(key);
    if (value == nullptr) return "";
    members = value->if_object();
  }
  return value->is_string() ? std::string(value->get_string()) : "";
}

json::object Map(const json::object& object, const char* part, const char* key) {
  const json::value* outer = object.if_contains(part);
  if (outer == nullptr || !outer->is_object()) return {};
  const json::value* inner = outer->get_object().if_contains(key);
  return inner == nullptr ? json::object() : inner->as_object();
}

std::string Name(const json::object& o) { return At(o, {"metadata", "name"}); }
std::string Home(const json::object& o) { return At(o, {"metadata", "namespace"}); }
bool HasLabel(const json::object& o) {
  return Map(o, "metadata", "labels").contains("olm.copiedFrom");
}

// The oracle: the object that must be under a name in a namespace.
struct Expectation {
  enum Kind { kAnything, kNoCopy, kCopy } kind = kAnything;
  json::object content;  // labels, annotations, spec, status
};

json::object ContentOf(const json::object& o) {
  return {{"labels", Map(o, "metadata", "labels")},
          {"annotations", Map(o, "metadata", "annotations")},
          {"spec", o.contains("spec") ? o.at("spec") : json::object()},
          {"status", o.contains("status") ? o.at("status") : json::object()}};
}

json::object CopyOf(const json::object& original) {
  json::object content = ContentOf(original);
  json::object& labels = content["labels"].as_object();
  json::object kept;
  for (const auto& [key, value] : labels) {
    if (key.find("operators.coreos.com/") != 0) kept[key] = value;
  }
  kept["olm.copiedFrom"] = Home(original);
  labels = kept;
  content["annotations"].as_object().erase("olm.targetNamespaces");
  json::object& status = content["status"].as_object();
  status["reason"] = "Copied";
  status["message"] =
      StrCat("The operator is running in ", Home(original), " but is managing this namespace");
  if (status.contains("cleanup")) status["cleanup"] = json::object();
  return content;
}

// Returns true if the OLMConfig turns copies of operators for all namespaces off.
bool CopiesAreOff(const CopyCluster& cluster) {
  for (const json::object& config : cluster.All(kTestOlmConfigs)) {
    const json::object features = Map(config, "spec", "features");
    if (Name(config) != "cluster" || features.empty()) continue;
    if (features.begin()->value() == json::value(true)) return true;
  }
  return false;
}

constexpr char kProtected[] = "t3";

enum class Reach { kYes, kNo, kUnknown };

Reach ReachOf(const json::object& original, const json::object& ns,
              const std::vector<json::object>& groups, bool off) {
  std::vector<const json::object*> here;
  for (const json::object& group : groups) {
    if (Home(group) == Home(original)) here.push_back(&group);
  }
  if (here.size() != 1) return Reach::kUnknown;
  const json::object& spec = here.front()->at("spec").as_object();
  if (const json::value* list = spec.if_contains("targetNamespaces")) {
    for (const json::value& name : list->as_array()) {
      if (name.as_string() == Name(ns)) return Reach::kYes;
    }
    return Reach::kNo;
  }
  const std::string team = At(spec, {"selector", "matchLabels", "team"});
  if (team.empty() && off && Name(ns) != kProtected) return Reach::kNo;
  return team.empty() || team == At(ns, {"metadata", "labels", "team"}) ? Reach::kYes : Reach::kNo;
}

Expectation Expected(const CopyCluster& cluster, const json::object& ns, const std::string& name) {
  Expectation expected;
  if (At(ns, {"status", "phase"}) == "Terminating") return expected;
  const std::vector<json::object> groups = cluster.All(kTestGroups);
  const std::vector<json::object> csvs = cluster.All(kTestCsvs);
  const bool off = CopiesAreOff(cluster);
  const json::object* winner = nullptr;
  bool unknown = false;
  for (const json::object& csv : csvs) {
    if (Name(csv) != name || HasLabel(csv) || At(csv, {"status", "reason"}) == "Copied") continue;
    if (Home(csv) == Name(ns)) return expected;  // the namespace's own CSV, not a copy
    const std::string reason = At(csv, {"status", "reason"});
    const bool uncopiable = reason == "NoOperatorGroup" ||
                            reason == "InterOperatorGroupOwnerConflict" ||
                            At(csv, {"status", "phase"}).empty();
    const bool deleting = !At(csv, {"metadata", "deletionTimestamp"}).empty();
    const Reach reach = ReachOf(csv, ns, groups, off);
    if (reach == Reach::kYes && !uncopiable) {
      const auto age = [](const json::object& o) {
        return std::make_tuple(At(o, {"metadata", "creationTimestamp"}),
                               At(o, {"metadata", "uid"}));
      };
      if (winner == nullptr || age(csv) < age(*winner)) winner = &csv;
    } else if (deleting || reach == Reach::kUnknown ||
               (reach == Reach::kYes && reason != "InterOperatorGroupOwnerConflict")) {
      unknown = true;
    }
  }
  if (winner == nullptr) {
    expected.kind = unknown ? Expectation::kAnything : Expectation::kNoCopy;
  } else if (At(*winner, {"metadata", "deletionTimestamp"}).empty()) {
    expected.kind = Expectation::kCopy;
    expected.content = CopyOf(*winner);
  }
  return expected;
}

class Schedule : public Dice {
 public:
  explicit Schedule(unsigned seed) : Dice(seed) {
    cluster_.written = [this](const json::object& before) { JudgeWrite(before); };
    cluster_.keeps_status_on_create = Draw(2) == 0;
    for (const std::string& ns : namespaces_) cluster_.PutNamespace(ns, Draw(2) == 0 ? "x" : "y");
    Run(0);
  }

  void Play() {
    for (int step = 0; step < 60; ++step) {
      Step();
      if (Draw(3) > 0) LookAll();
    }
    for (auto& process : processes_) {
      if (!process) continue;
      process->faults().ForgetFaults(kTestCsvs);
      process->faults().ForgetFaults(kTestOlmConfigs);
    }
    cluster_.webhook = nullptr;
    processes_[1].reset();
    if (!processes_[0]) Run(0);
    LookAll();
    // A slot's retry waits at most ten minutes.
    processes_[0]->Pass(absl::Minutes(21), absl::Seconds(5));
    Judge();
    const int writes = processes_[0]->writes();
    LookAll();
    processes_[0]->Pass(absl::Minutes(1), absl::Seconds(5));
    EXPECT_EQ(processes_[0]->writes(), writes) << "what is right is not written";
  }

 private:
  void Run(size_t which) {
    processes_[which].reset();
    processes_[which] = std::make_unique<CopiesProcess>(
        cluster_, clock_, io_,
        CopyToggleDefaults{.disabled = false, .protected_namespaces = {kProtected}});
    processes_[which]->Look();
  }
  void LookAll() {
    for (auto& process : processes_) {
      if (process) process->Look();
    }
  }

  // Adds an object with the label of copies that its tenant created.
  void PutForeign(const kube::NamespacedName& key) {
    if (!cluster_.Text(key).empty()) return;
    cluster_.PutCsv(key.ns, key.name, {.note = "foreign"});
    cluster_.Edit(key, [](json::object& o) {
      o["metadata"].as_object()["labels"].as_object()["olm.copiedFrom"] = "nobody";
    });
    foreign_.insert(At(*cluster_.Find(key), {"metadata", "uid"}));
  }

  void Step() {
    const std::string ns = Any(namespaces_);
    const std::string name = Any(names_);
    const kube::NamespacedName key{ns, name};
    const std::string stored = cluster_.Text(key);
    const bool original = !stored.empty() && stored.find("olm.copiedFrom") == std::string::npos;
    switch (Draw(22)) {
      case 0:
      case 1:
      case 2: {
        if (!stored.empty() && !original) return;
        CopyCluster::Csv csv{.note = StrCat(Draw(4))};
        const unsigned state = Draw(8);
        if (state == 0) csv.phase = csv.reason = "";
        if (state == 1) csv.reason = "NoOperatorGroup";
        if (state == 2) csv.phase = "Failed", csv.reason = "InterOperatorGroupOwnerConflict";
        if (state == 3) csv.deleting = true;
        cluster_.PutCsv(ns, name, csv);
        return;
      }
      case 3:
      case 4:
        if (original) cluster_.DropCsv(ns, name);
        return;
      case 5:
      case 6: {
        const std::vector<std::string> specs = {"{}", R"({"targetNamespaces":["t1","t2"]})",
                                                StrCat(R"({"targetNamespaces":[")", ns, "\"]}"),
                                                R"({"selector":{"matchLabels":{"team":"x"}}})"};
        cluster_.PutGroup(ns, "g", Any(specs));
        return;
      }
      case 7:
        if (Draw(2) == 0) {
          cluster_.DropGroup(ns, Draw(2) == 0 ? "g" : "h");
        } else {
          cluster_.PutGroup(ns, "h", "{}");
        }
        return;
      case 8:
        if (ns[0] != 't') return;
        cluster_.PutNamespace(ns, "", /*terminating=*/true);
        return;
      case 9:
        if (ns[0] != 't') return;
        cluster_.DropNamespace(ns);
        if (Draw(4) > 0) cluster_.PutNamespace(ns, Draw(2) == 0 ? "x" : "y");
        return;
      case 10:
      case 11:
        if (stored.empty() || original) return;
        cluster_.Edit(key, [this](json::object& o) { Spoil(o); });
        return;
      case 12:
        if (!stored.empty() && !original) cluster_.DropCsv(ns, name);
        return;
      case 13:
        PutForeign(key);
        return;
      case 14:
        Run(0);
        return;
      case 15:
        if (processes_[1]) {
          processes_[1].reset();
        } else {
          Run(1);
        }
        return;
      case 16:
        clock_.Advance(absl::Seconds(Draw(90)));
        if (processes_[0]) processes_[0]->Settle();
        return;
      case 17: {
        // Breaks the watch of copies, once or for good.
        cluster_.fake().BreakWatches(kTestCsvs);
        if (Draw(2) == 0) cluster_.fake().Expire(kTestCsvs);
        return;
      }
      case 18:
        cluster_.PutOlmConfig(Any(std::vector<std::string>{
            "{}", R"({"disableCopiedCSVs":true})", R"({"disable-copied-csvs":true})",
            R"({"disableCopiedCSVs":true})", R"({"disableCopiedCSVs":false})"}));
        return;
      case 19:
        if (Draw(2) == 0) {
          cluster_.DropOlmConfig();
        } else {
          processes_[0]->faults().FailNext({kube::ClientVerb::kGet, kTestOlmConfigs},
                                           absl::UnavailableError("reset"));
        }
        return;
      default:
        Fault();
    }
  }

  // Edits a copy as a tenant may, but keeps the label that makes it a copy.
  void Spoil(json::object& o) {
    json::object& labels = o["metadata"].as_object()["labels"].as_object();
    switch (Draw(5)) {
      case 0:
        labels["more"] = "x";
        return;
      case 1:
        labels.erase("note");
        return;
      case 2:
        o["spec"] = json::object{{"note", "spoilt"}};
        return;
      case 3:
        if (o.contains("status") && o["status"].is_object()) o["status"].as_object()["phase"] = "Z";
        return;
      default:
        o["metadata"].as_object()["annotations"].as_object()["more"] = "x";
    }
  }

  void Fault() {
    CopiesProcess& process = *processes_[0];
    const auto verb = Any(std::vector<kube::ClientVerb>{
        kube::ClientVerb::kCreate, kube::ClientVerb::kUpdate, kube::ClientVerb::kDelete,
        kube::ClientVerb::kGet, kube::ClientVerb::kList});
    const int times = static_cast<int>(1 + Draw(6));
    const bool read = verb == kube::ClientVerb::kGet || verb == kube::ClientVerb::kList;
    switch (Draw(read ? 2 : 5)) {
      case 0:
        process.faults().FailNext({verb, kTestCsvs}, absl::UnavailableError("reset"), times);
        return;
      case 1:
        process.faults().FailNext({verb, kTestCsvs},
                                  kube::ToStatus(kube::InternalError("disk full")), times);
        return;
      case 2:
        process.faults().FailNext({verb, kTestCsvs},
                                  kube::ToStatus(kube::TooManyRequests("busy", 1)), times);
        return;
      case 3:
        process.faults().LoseNext({verb, kTestCsvs}, times);
        return;
      default:
        process.faults().FailNext({verb, kTestCsvs},
                                  kube::ToStatus(kube::Conflict(kTestCsvs, "x", "changed")), times);
    }
  }

  // Called for each object that was changed or deleted. Checks that it is a copy.
  void JudgeWrite(const json::object& before) {
    EXPECT_TRUE(HasLabel(before)) << "no copy was touched: " << Serialize(before);
    EXPECT_FALSE(foreign_.contains(At(before, {"metadata", "uid"})))
        << "a tenant's object was touched: " << Serialize(before);
  }

  void Judge() {
    for (const json::object& ns : cluster_.All(kTestNamespaces)) {
      for (const std::string& name : names_) {
        const kube::NamespacedName key{Name(ns), name};
        const json::object* stored = cluster_.Find(key);
        if (stored != nullptr && foreign_.contains(At(*stored, {"metadata", "uid"}))) continue;
        const Expectation expected = Expected(cluster_, ns, name);
        const std::string where = StrCat(key.ns, "/", key.name);
        if (expected.kind == Expectation::kNoCopy) {
          EXPECT_EQ(stored, nullptr) << where << ": " << cluster_.Text(key);
        } else if (expected.kind == Expectation::kCopy) {
          ASSERT_NE(stored, nullptr) << where << " is missing";
          EXPECT_EQ(ContentOf(*stored), expected.content) << where;
        }
      }
    }
  }

  const std::vector<std::string> namespaces_ = {"ops", "tools", "t1", "t2", "t3"};
  const std::vector<std::string> names_ = {"a.v1", "b.v1"};
  std::set<std::string> foreign_;  // UIDs of objects that tenants created
  FakeClock clock_;
  boost::asio::io_context io_{1};
  CopyCluster cluster_;
  std::array<std::unique_ptr<CopiesProcess>, 2> processes_;
};

TEST(CopiesScheduleTest, R_004_18_EndsInTheExactSetAndTouchesNothingElse) {
  PlaySeeds(kSeeds, [](unsigned seed) { Schedule(seed).Play(); });
}

}  // namespace
}  // namespace steward::controllers
