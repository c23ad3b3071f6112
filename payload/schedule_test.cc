// Runs random schedules of payloads of several versions, which apply objects, delete them or omit
// them. Every call may fail, lose its answer, or be the last of its process. Another process may
// run a whole pass in between. People create objects again, and add and remove finalizers, at
// random times. Policies deny deletions, and a kind vanishes. This file judges the writes, their
// order and the end from the cluster's JSON and shares no code with the rules.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/seeds/dice.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "kube/testing/trouble.h"
#include "payload/testing/payload_cluster.h"

namespace steward::payload {
namespace {

namespace json = boost::json;

const Seeds kSeeds = SeedsOr({1, ShareOf(200)});

// A manifest of this file's payloads. It applies or deletes ConfigMap n/`name` at a level.
struct Planned {
  int level;
  std::string component;
  std::string name;
  bool deletes;
};

std::string FileOf(const Planned& planned, size_t number) {
  return StrCat("0000_", planned.level, "_", planned.component, "_", 10 + number, ".yaml");
}

std::string DeletionOf(const std::string& name) {
  if (!name.starts_with("relic")) return TestDeletion(name);
  return StrCat(R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"namespace":"n",)",
                R"("name":")", name, R"(","annotations":{"release.openshift.io/delete":"true"}}})");
}

Release ReleaseOf(const std::string& version, const std::vector<Planned>& plan) {
  std::vector<TestFile> files;
  for (size_t i = 0; i < plan.size(); ++i) {
    files.push_back({FileOf(plan[i], i), plan[i].deletes ? DeletionOf(plan[i].name)
                                                         : TestConfigMap(plan[i].name, version)});
  }
  return TestRelease(version, files);
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

class Schedule : public Dice {
 public:
  explicit Schedule(unsigned seed) : Dice(seed) {}

  void Play() {
    Prepare();
    for (size_t i = 0; i < plans_.size(); ++i) {
      Ship(i);
      for (int pass = 0; pass < 10 && !Completed(); ++pass) {
        Happen();
        Run(/*calm=*/false);
      }
    }
    denied_.clear();
    for (int pass = 0; pass < 10 && !Completed(); ++pass) {
      LetGo();
      Run(/*calm=*/true);
    }
    ASSERT_TRUE(Completed()) << json::value(cluster_.RecordData());
    for (int pass = 0; pass < 4; ++pass) {
      Happen();
      Run(/*calm=*/false);
    }
    Run(/*calm=*/true);
    Run(/*calm=*/true);
    Judge();
    LetGo();
    Run(/*calm=*/true);
    Follow();
    LetGo();
    Follow();
    EXPECT_EQ(Text(json::value(cluster_.RecordData()), {"upgradeable"}), "True")
        << json::value(cluster_.RecordData());
    const int writes = writes_;
    Run(/*calm=*/true);
    Follow();
    EXPECT_EQ(writes_, writes) << "what has ended is not touched";
    // No removal may hold the next minor version back any more.
    plans_.push_back({{10, "a", "settings", false}});
    Ship(plans_.size() - 1, "4.6.0");
    Run(/*calm=*/true);
    EXPECT_TRUE(Completed()) << json::value(cluster_.RecordData());
  }

 private:
  using Plan = std::vector<Planned>;

  static bool IsRelic(const std::string& name) { return name.starts_with("relic"); }
  json::value Find(const std::string& name) {
    return IsRelic(name) ? cluster_.Find(kTestWidgets, {"n", name}) : cluster_.ConfigMap(name);
  }
  std::string UidOf(const std::string& name) { return Text(Find(name), {"metadata", "uid"}); }
  bool IsDeleting(const std::string& name) {
    return Text(Find(name), {"metadata", "deletionTimestamp"}) != "";
  }

  void Put(const std::string& name, bool held) {
    if (IsRelic(name) && relics_are_gone_) return;
    cluster_.Put(IsRelic(name) ? kTestWidgets : kTestConfigMaps,
                 StrCat(R"({"metadata":{"namespace":"n","name":")", name, "\"",
                        held ? R"(,"finalizers":["a/b"])" : "", R"(},"data":{"key":"old"}})"));
  }
  // Removes an object that is being deleted, as if somebody had removed its finalizers.
  void Release(const std::string& name) {
    if (Find(name).is_null()) return;
    cluster_.client().Delete(IsRelic(name) ? kTestWidgets : kTestConfigMaps, {"n", name});
  }

  void Prepare() {
    options_ = TestOptions();
    options_.redelete = OneIn(3);
    if (OneIn(3)) options_.wait_for_deletions = absl::Seconds(5);
    const int levels = 2 + static_cast<int>(Draw(2));
    Plan all;
    for (int level = 1; level <= levels; ++level) {
      for (unsigned i = 0, n = 1 + Draw(3); i < n; ++i) {
        const std::string name = StrCat(OneIn(6) ? "relic" : "x", level, "-", i);
        all.push_back({level * 10, OneIn(2) ? "a" : "b", name, OneIn(2)});
      }
    }
    // Each version applies, deletes or omits each of these manifests.
    for (unsigned i = 0, versions = 1 + Draw(3); i < versions; ++i) {
      Plan plan = {{10, "a", "settings", false}};
      for (Planned each : all) {
        if (i > 0 && OneIn(3)) each.deletes = !each.deletes;
        if (IsRelic(each.name)) each.deletes = true;  // a kind that may vanish is not applied
        if (!OneIn(4)) plan.push_back(each);
      }
      plans_.push_back(std::move(plan));
    }
    for (const Planned& each : all) {
      names_.insert(each.name);
      if (OneIn(4)) continue;  // no object exists at the start
      Put(each.name, OneIn(3));
    }
    Put("foreign", false);
  }

  // Puts the next version into the folder.
  void Ship(size_t index, std::string version = "") {
    plan_ = plans_[index];
    version_ = version.empty() ? StrCat("4.5.", index + 1) : version;
    release_ = ReleaseOf(version_, plan_);
    denied_.clear();
    for (const std::string& name : names_) {
      const Planned* planned = PlannedOf(name);
      if (planned == nullptr || !planned->deletes) deleted_.erase(name);
      if (OneIn(6)) denied_.insert(name);
    }
  }

  // Simulates people: they create objects again, remove finalizers, and delete a definition with
  // its objects.
  void Happen() {
    for (const std::string& name : names_) {
      if (!OneIn(5)) continue;
      if (Find(name).is_null()) {
        const Planned* planned = PlannedOf(name);
        if (planned == nullptr || planned->deletes) Put(name, OneIn(4));
      } else if (IsDeleting(name)) {
        Release(name);
        if (OneIn(2)) Put(name, false);
      }
    }
    if (relics_are_gone_ || !OneIn(8)) return;
    relics_are_gone_ = true;
    cluster_.client().Publish(kTestWidgets.group_version(), {});
    for (const std::string& name : names_) {
      if (IsRelic(name)) Release(name);
    }
  }
  // Removes all finalizers, so that held objects disappear.
  void LetGo() {
    for (const std::string& name : names_) {
      if (IsDeleting(name)) Release(name);
    }
  }

  bool Completed() {
    const json::object data = cluster_.RecordData();
    return data.contains("completed") && Text(json::value(data), {"version"}) == version_;
  }

  // Returns a removal from the record's JSON; null: there is none.
  json::value Recorded(const std::string& name) {
    const std::string text = Text(json::value(cluster_.RecordData()), {"removals"});
    if (text.empty()) return nullptr;
    const json::value removals = json::parse(text);
    for (const json::value& each : removals.as_array()) {
      if (Text(each, {"name"}) == name) return each;
    }
    return nullptr;
  }
  std::string Recorded(const std::string& name, const char* member) {
    return Text(Recorded(name), {member});
  }

  void Run(bool calm) {
    PayloadProcess process(cluster_);
    process.hook().decide = [&](const kube::HookedCall& call) { return Decide(call, calm, 0); };
    (void)process.Pass(release_, options_);
    cluster_.clock().Advance(absl::Minutes(1));
  }
  void Follow() {
    PayloadProcess process(cluster_);
    process.hook().decide = [&](const kube::HookedCall& call) { return Decide(call, true, 0); };
    (void)process.Follow();
  }

  kube::HookedFate Decide(const kube::HookedCall& call, bool calm, int depth) {
    kube::HookedFate fate;
    if (call.gvr.group == "authorization.k8s.io") return fate;
    if (!calm && depth == 0 && OneIn(16)) {
      // Another process runs a pass meanwhile, of which this one does not know yet.
      PayloadProcess other(cluster_);
      other.hook().decide = [&](const kube::HookedCall& inner) { return Decide(inner, calm, 1); };
      (void)other.Pass(release_, options_);
      Happen();
    } else if (!calm && OneIn(3)) {
      fate = kube::AnyTrouble(*this, {absl::UnavailableError("connection refused"),
                                      kube::ToStatus(kube::InternalError("no")),
                                      kube::ToStatus(kube::TooManyRequests("later", 1))});
      if (!fate.error.ok() || fate.kind == kube::HookedFate::kDieBefore) return fate;
    }
    if (call.deletion != nullptr && denied_.contains(call.name.name)) {
      fate.error = kube::ToStatus(kube::Forbidden(call.gvr, call.name.name, "a policy says no"));
      return fate;
    }
    if (call.writes()) JudgeWrite(call);
    return fate;
  }

  const Planned* PlannedOf(const std::string& name) {
    for (const Planned& each : plan_) {
      if (each.name == name) return &each;
    }
    return nullptr;
  }

  void JudgeWrite(const kube::HookedCall& call) {
    ++writes_;
    const std::string& name = call.name.name;
    const std::string what =
        StrCat(version_, ": ", kube::VerbText(call.verb), " ", call.name.ns, "/", name);
    if (call.name.ns == "steward-system") return;  // the write of the record
    const Planned* planned = PlannedOf(name);
    ASSERT_NE(planned, nullptr) << what;
    EXPECT_FALSE(cluster_.RecordData().empty()) << "nothing is written before the record: " << what;
    EXPECT_EQ(planned->deletes, call.deletion != nullptr) << what;
    if (call.deletion != nullptr) JudgeDeletion(*call.deletion, name, what);
    // A manifest behind others in the order comes after them, unless everything was done once.
    for (const Planned& before : plan_) {
      if (before.level >= planned->level || Completed()) continue;
      if (!before.deletes) {
        EXPECT_EQ(Text(Find(before.name), {"data", "key"}), version_)
            << what << " before " << before.name;
        continue;
      }
      const std::string state = Recorded(before.name, "state");
      EXPECT_NE(state, "") << what << " before " << before.name;
      if (!options_.wait_for_deletions) continue;
      EXPECT_TRUE(state == "Completed" || state == "Reappeared")
          << what << " before " << before.name << ", which is " << state;
    }
  }

  void JudgeDeletion(const kube::DeleteOptions& options, const std::string& name,
                     const std::string& what) {
    EXPECT_NE(options.uid, "") << what;
    EXPECT_NE(Recorded(name, "uid"), "") << what << ": it is not recorded";
    deleted_[name].insert(options.uid);
    if (options.uid == UidOf(name)) accepted_.insert(options.uid);
    if (!options_.redelete) {
      EXPECT_EQ(deleted_[name].size(), 1) << what << ": another object than the first";
    }
  }

  void Judge() {
    EXPECT_FALSE(cluster_.ConfigMap("foreign").is_null());
    for (const std::string& name : names_) {
      const Planned* planned = PlannedOf(name);
      const json::value removal = Recorded(name);
      const std::string state = Text(removal, {"state"});
      const std::string what = StrCat(version_, ": ", name, " ", state);
      const std::string uid = UidOf(name);
      if (IsDeleting(name)) {
        EXPECT_TRUE(accepted_.contains(uid)) << what << ": nobody has deleted it";
      }
      if (planned == nullptr) {
        // A removal that no manifest names holds updates back only while the object is being
        // deleted.
        const bool holds = state == "Initiated" || state == "Ongoing" || state == "Failed";
        EXPECT_EQ(holds, holds && IsDeleting(name)) << what;
      } else if (!planned->deletes) {
        EXPECT_EQ(Text(Find(name), {"data", "key"}), version_) << what;
        EXPECT_EQ(state, "") << what;
      } else if (Find(name).is_null()) {
        EXPECT_EQ(state, "Completed") << what;
      } else if (IsDeleting(name)) {
        EXPECT_EQ(state, "Ongoing") << what;
      } else {
        EXPECT_EQ(state, "Reappeared") << what;
        EXPECT_FALSE(accepted_.contains(uid)) << what;
        // An object that was never there before is not deleted again.
        if (options_.redelete) EXPECT_FALSE(removal.at("removes").as_bool()) << what;
      }
    }
  }

  PayloadCluster cluster_;
  PayloadOptions options_;
  std::vector<Plan> plans_;  // the index is the version
  std::set<std::string> names_;
  Plan plan_;  // of the version being applied
  std::string version_;
  payload::Release release_;
  std::set<std::string> denied_;  // names whose deletion the server refuses
  bool relics_are_gone_ = false;
  // By name: the UIDs deleted so far by consecutive versions that all delete the name.
  std::map<std::string, std::set<std::string>> deleted_;
  std::set<std::string> accepted_;  // UIDs whose deletion the server has taken
  int writes_ = 0;
};

// Kills the process before and after every single write, the record's included.
TEST(PayloadScheduleTest, R_003_56_GoesOnAfterADeathAtEveryWrite) {
  const std::vector<Planned> plan = {{10, "a", "made", false},
                                     {10, "b", "plain", true},
                                     {20, "a", "held", true},
                                     {30, "a", "absent", true},
                                     {30, "b", "last", false}};
  const Release release = ReleaseOf("4.5.1", plan);
  PlayDeaths(/*most=*/100, [&](int at, bool after) {
    PayloadCluster cluster;
    for (const char* each : {"plain", "held"}) {
      cluster.Put(kTestConfigMaps,
                  StrCat(R"({"metadata":{"namespace":"n","name":")", each, "\"",
                         each == std::string("held") ? R"(,"finalizers":["a/b"])" : "", "}}"));
    }
    const std::string plain = cluster.Uid("plain");
    int writes = 0;
    std::set<std::string> deleted;
    for (int process = 0; process < 10; ++process) {
      if (cluster.RecordData().contains("completed")) break;
      PayloadProcess one(cluster);
      one.hook().decide = [&](const kube::HookedCall& call) {
        if (call.gvr.group == "authorization.k8s.io" || !call.writes()) {
          return kube::HookedFate::kPass;
        }
        if (call.deletion != nullptr) deleted.insert(call.deletion->uid);
        if (writes++ != at) return kube::HookedFate::kPass;
        return after ? kube::HookedFate::kDieAfter : kube::HookedFate::kDieBefore;
      };
      (void)one.Pass(release, TestOptions());
      // Somebody creates the object again as soon as it is gone.
      if (cluster.ConfigMap("plain").is_null()) {
        cluster.Put(kTestConfigMaps, R"({"metadata":{"namespace":"n","name":"plain"}})");
      }
    }
    EXPECT_TRUE(cluster.RecordData().contains("completed"));
    EXPECT_FALSE(cluster.ConfigMap("plain").is_null());
    EXPECT_NE(cluster.Uid("plain"), plain);
    EXPECT_EQ(deleted.count(cluster.Uid("plain")), 0);
    EXPECT_EQ(cluster.Removal("held"), "Ongoing");
    EXPECT_EQ(cluster.Removal("absent"), "Completed");
    EXPECT_FALSE(cluster.ConfigMap("made").is_null());
    EXPECT_FALSE(cluster.ConfigMap("last").is_null());
    return writes > at;
  });
}

TEST(PayloadScheduleTest, EndsRightWhateverHappens) {
  PlaySeeds(kSeeds, [](unsigned seed) { Schedule(seed).Play(); });
}

}  // namespace
}  // namespace steward::payload
