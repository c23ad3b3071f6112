// Random schedules of payloads: every call may fail, lose its answer, or be the last of its
// process; another process may take a whole pass in between; people make objects again, hold them
// with finalizers and let them go, when they like. What may be written, in which order, and how
// everything must end is judged from the cluster's JSON by this file alone: it shares no code with
// the rules.
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "kube/testing/hooked_client.h"
#include "payload/testing/payload_cluster.h"

namespace steward::payload {
namespace {

namespace json = boost::json;

const Seeds kSeeds = SeedsOr({1, ShareOf(200)});

// A manifest of this file's payload: a ConfigMap n/`name` of a level, which is applied or deleted.
struct Planned {
  int level;
  std::string component;
  std::string name;
  bool deletes;
};

std::string FileOf(const Planned& planned, size_t number) {
  return StrCat("0000_", planned.level, "_", planned.component, "_", 10 + number, ".yaml");
}

Release ReleaseOf(const std::string& version, const std::vector<Planned>& plan) {
  std::vector<TestFile> files;
  for (size_t i = 0; i < plan.size(); ++i) {
    files.push_back({FileOf(plan[i], i), plan[i].deletes ? TestDeletion(plan[i].name)
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

class Schedule {
 public:
  explicit Schedule(unsigned seed) : random_(seed) {}

  void Play() {
    Prepare();
    for (int pass = 0; pass < 20 && !Completed(); ++pass) {
      Happen();
      Run(/*calm=*/false);
    }
    for (int pass = 0; pass < 10 && !Completed(); ++pass) Run(/*calm=*/true);
    ASSERT_TRUE(Completed()) << json::value(cluster_.RecordData());
    for (int pass = 0; pass < 4; ++pass) {
      Happen();
      Run(/*calm=*/false);
    }
    Run(/*calm=*/true);
    Judge();
    LetGo();
    Run(/*calm=*/true);
    Follow();
    EXPECT_EQ(Text(json::value(cluster_.RecordData()), {"upgradeable"}), "True");
    const int writes = writes_;
    Run(/*calm=*/true);
    Follow();
    EXPECT_EQ(writes_, writes) << "what has ended is not touched";
  }

 private:
  unsigned Draw(unsigned below) {
    return std::uniform_int_distribution<unsigned>(0, below - 1)(random_);
  }
  bool OneIn(unsigned n) { return Draw(n) == 0; }

  void Put(const std::string& name, bool held) {
    cluster_.Put(kTestConfigMaps,
                 StrCat(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"namespace":"n",)",
                        R"("name":")", name, "\"", held ? R"(,"finalizers":["a/b"])" : "",
                        R"(},"data":{"key":"old"}})"));
  }

  void Prepare() {
    const int levels = 2 + static_cast<int>(Draw(2));
    for (int level = 1; level <= levels; ++level) {
      for (unsigned i = 0, n = 1 + Draw(3); i < n; ++i) {
        plan_.push_back({level * 10, OneIn(2) ? "a" : "b", StrCat("x", level, "-", i), OneIn(2)});
      }
    }
    for (const Planned& each : plan_) {
      if (OneIn(4)) continue;  // it was never there
      Put(each.name, each.deletes && OneIn(3));
      first_[each.name] = cluster_.Uid(each.name);
    }
    Put("foreign", false);
    release_ = ReleaseOf("4.5.1", plan_);
  }

  // People make objects again, and let them go.
  void Happen() {
    for (const Planned& each : plan_) {
      if (!each.deletes || !OneIn(5)) continue;
      const json::value there = cluster_.ConfigMap(each.name);
      const std::string removal = Recorded(each.name, "state");
      if (there.is_null() && removal != "" && removal != "Initiated") Put(each.name, false);
      if (Text(there, {"metadata", "deletionTimestamp"}) != "") {
        cluster_.client().Delete(kTestConfigMaps, {"n", each.name});
        if (OneIn(2)) Put(each.name, false);
      }
    }
  }
  // Everything that is held is let go.
  void LetGo() {
    for (const Planned& each : plan_) {
      const json::value there = cluster_.ConfigMap(each.name);
      if (Text(there, {"metadata", "deletionTimestamp"}) == "") continue;
      cluster_.client().Delete(kTestConfigMaps, {"n", each.name});
    }
  }

  bool Completed() { return cluster_.RecordData().contains("completed"); }

  // A member of what the record says of a removal, read from its JSON; "" where there is none.
  std::string Recorded(const std::string& name, const char* member) {
    const std::string text = Text(json::value(cluster_.RecordData()), {"removals"});
    if (text.empty()) return "";
    const json::value removals = json::parse(text);
    for (const json::value& each : removals.as_array()) {
      if (Text(each, {"name"}) == name) return Text(each, {member});
    }
    return "";
  }

  void Run(bool calm) {
    PayloadProcess process(cluster_);
    process.hook().decide = [&](const kube::HookedCall& call) { return Decide(call, calm, 0); };
    (void)process.Pass(release_, TestOptions());
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
    if (!calm) {
      switch (Draw(16)) {
        case 0:
          fate.error = OneIn(2) ? absl::UnavailableError("connection refused")
                                : kube::ToStatus(kube::InternalError("no"));
          return fate;
        case 1:
          fate.error = kube::ToStatus(kube::TooManyRequests("later", 1));
          return fate;
        case 2:
          fate.lost = true;
          break;
        case 3:
          fate.dies = true;
          return fate;
        case 4:
          fate.dies_after = true;
          break;
        case 5:
          // Another process works meanwhile; this one does not know yet.
          if (depth == 0) {
            PayloadProcess other(cluster_);
            other.hook().decide = [&](const kube::HookedCall& inner) {
              return Decide(inner, calm, 1);
            };
            (void)other.Pass(release_, TestOptions());
            Happen();
          }
          break;
        default:
          break;
      }
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
    const std::string what = StrCat(call.verb, " ", call.name.ns, "/", name);
    if (call.name.ns == "steward-system") return;  // the record
    const Planned* planned = PlannedOf(name);
    ASSERT_NE(planned, nullptr) << what;
    EXPECT_FALSE(cluster_.RecordData().empty()) << "nothing is written before the record: " << what;
    EXPECT_EQ(planned->deletes, call.deletion != nullptr) << what;
    if (call.deletion != nullptr) JudgeDeletion(*call.deletion, name);
    // Who is behind in the order comes later, unless everything was done once.
    for (const Planned& before : plan_) {
      if (before.level >= planned->level || Completed()) continue;
      if (before.deletes) {
        EXPECT_NE(Recorded(before.name, "state"), "") << what << " before " << before.name;
      } else {
        EXPECT_EQ(Text(cluster_.ConfigMap(before.name), {"data", "key"}), "4.5.1")
            << what << " before " << before.name;
      }
    }
  }

  void JudgeDeletion(const kube::DeleteOptions& options, const std::string& name) {
    EXPECT_NE(options.uid, "") << name;
    EXPECT_EQ(first_[name], options.uid) << name << ": another object than the first";
    // A process that lost the leadership may be late, with the same UID.
    EXPECT_EQ(Recorded(name, "uid").empty(), false) << name << " is not recorded";
  }

  void Judge() {
    EXPECT_FALSE(cluster_.ConfigMap("foreign").is_null());
    for (const Planned& each : plan_) {
      const json::value there = cluster_.ConfigMap(each.name);
      const std::string state = Recorded(each.name, "state");
      const std::string what = StrCat(each.name, " ", state);
      if (!each.deletes) {
        EXPECT_EQ(Text(there, {"data", "key"}), "4.5.1") << what;
        EXPECT_EQ(state, "") << what;
        continue;
      }
      const std::string uid = Text(there, {"metadata", "uid"});
      if (there.is_null()) {
        EXPECT_EQ(state, "Completed") << what;
      } else if (uid == first_[each.name]) {
        EXPECT_EQ(state, "Ongoing") << what;
        EXPECT_NE(Text(there, {"metadata", "deletionTimestamp"}), "") << what;
      } else {
        EXPECT_EQ(state, "Reappeared") << what;
        EXPECT_EQ(Text(there, {"metadata", "deletionTimestamp"}), "") << what;
      }
    }
  }

  std::mt19937 random_;
  PayloadCluster cluster_;
  std::vector<Planned> plan_;
  Release release_;
  // The UIDs of the objects that were there before the payload.
  std::map<std::string, std::string> first_;
  int writes_ = 0;
};

// kill -9 before and after every single write, the record's included.
TEST(PayloadScheduleTest, R_003_56_GoesOnAfterADeathAtEveryWrite) {
  const std::vector<Planned> plan = {{10, "a", "made", false},
                                     {10, "b", "plain", true},
                                     {20, "a", "held", true},
                                     {30, "a", "absent", true},
                                     {30, "b", "last", false}};
  const Release release = ReleaseOf("4.5.1", plan);
  for (const bool after : {false, true}) {
    for (int at = 0, writes = at + 1; at < writes; ++at) {
      SCOPED_TRACE(StrCat(after ? "after" : "before", " write ", at));
      PayloadCluster cluster;
      for (const char* each : {"plain", "held"}) {
        cluster.Put(kTestConfigMaps,
                    StrCat(R"({"metadata":{"namespace":"n","name":")", each, "\"",
                           each == std::string("held") ? R"(,"finalizers":["a/b"])" : "", "}}"));
      }
      const std::string plain = cluster.Uid("plain");
      writes = 0;
      std::set<std::string> deleted;
      for (int process = 0; process < 10; ++process) {
        if (cluster.RecordData().contains("completed")) break;
        PayloadProcess one(cluster);
        one.hook().decide = [&](const kube::HookedCall& call) {
          kube::HookedFate fate;
          if (call.gvr.group == "authorization.k8s.io" || !call.writes()) return fate;
          if (call.deletion != nullptr) deleted.insert(call.deletion->uid);
          if (writes++ != at) return fate;
          fate.dies = !after;
          fate.dies_after = after;
          return fate;
        };
        (void)one.Pass(release, TestOptions());
        // Whoever is quick makes the object again as soon as it is gone.
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
    }
  }
}

TEST(PayloadScheduleTest, EndsRightWhateverHappens) {
  for (unsigned seed = kSeeds.first; seed != kSeeds.end(); ++seed) {
    SCOPED_TRACE(StrCat("STEWARD_SEED=", seed));
    Schedule(seed).Play();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace steward::payload
