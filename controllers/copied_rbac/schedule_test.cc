// Runs random schedules of copied Roles. Every call may fail, lose its answer, or be the last of
// its process. Two processes work at the same time and see old Worlds. Operators appear, change and
// disappear. Tenants edit copies, forge labels and owners, and take names first. This file judges
// the writes and the end from the cluster's JSON and shares no code with the rules.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "absl/time/time.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/seeds/dice.h"
#include "base/seeds/seeds.h"
#include "base/text/str_cat.h"
#include "controllers/copied_rbac/testing/rbac_cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"
#include "kube/testing/trouble.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;

const Seeds kSeeds = SeedsOr({1, ShareOf(200)});

constexpr std::array<const char*, 2> kNames = {"reed", "moss"};
constexpr std::array<const char*, 3> kPlaces = {"a", "b", "c"};
// The highest age of the reads that a write relies on.
constexpr absl::Duration kOldest = absl::Seconds(31);
// A verb that no operator asks for.
constexpr char kEvil[] = "escalate";

std::string Text(const json::value& object, std::initializer_list<const char*> path) {
  const json::value* at = &object;
  for (const char* key : path) {
    const json::object* members = at->if_object();
    at = members == nullptr ? nullptr : members->if_contains(key);
    if (at == nullptr) return "";
  }
  return at->is_string() ? std::string(at->get_string()) : "";
}

std::string Label(const json::value& object, const char* key) {
  return Text(object, {"metadata", "labels", key});
}

// Returns true for an object with OLM's labels of a copy from "ops" in `ns`.
bool IsOurs(const json::value& object, const std::string& ns) {
  const std::string owner_ns = Label(object, "olm.owner.namespace");
  return Label(object, "olm.copiedFrom") == "ops" && !Label(object, "olm.owner").empty() &&
         Label(object, "olm.owner.kind") == "ClusterServiceVersion" &&
         (owner_ns == ns || owner_ns == "ops");
}

// Returns true for the rule that locks a Role: nobody holds its right, and it covers no real
// object.
bool IsLock(const json::value& rule) {
  return rule.at_pointer("/apiGroups/0") == "locks.views.operators.coreos.com" &&
         rule.at_pointer("/resources/0") == "roles" && rule.at_pointer("/verbs/0") == "open";
}

// Returns the verbs that the Role grants.
std::set<std::string> Verbs(const json::value& role) {
  std::set<std::string> verbs;
  if (role.is_null()) return verbs;
  for (const json::value& rule : role.at("rules").as_array()) {
    if (IsLock(rule)) continue;
    for (const json::value& verb : rule.at("verbs").as_array()) {
      verbs.insert(std::string(verb.as_string()));
    }
  }
  return verbs;
}

bool Within(const std::set<std::string>& some, const std::set<std::string>& all) {
  return std::includes(all.begin(), all.end(), some.begin(), some.end());
}

class Schedule : public Dice {
 public:
  explicit Schedule(unsigned seed) : Dice(seed) {
    for (const char* ns : {"ops", "a", "b", "c"}) cluster_.PutNamespace(ns, ns);
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a","b"]})");
    for (const char* name : kNames) Install(name);
    for (int i = 0; i < 6; ++i) Happen();
  }

  void Play() {
    for (int pass = 0; pass < 25; ++pass) {
      Happen();
      std::unique_ptr<RbacProcess>& process = processes_[Draw(2)];
      if (process == nullptr || OneIn(10)) process = Start();
      process->Look();
      clock_.Advance(absl::Milliseconds(100 * Draw(60)));
      process->Settle();
      if (process->died()) process.reset();
    }
    Calm();
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

 private:
  std::unique_ptr<RbacProcess> Start() {
    auto process = std::make_unique<RbacProcess>(cluster_, clock_);
    process->hook().decide = [this, self = process.get()](const kube::HookedCall& call) {
      return Decide(*self, call);
    };
    return process;
  }

  void Install(const std::string& name) {
    const std::string asked = OneIn(2) ? "get,list" : "get";
    for (const char* verb : {"get", "list"}) {
      if (asked.find(verb) != std::string::npos) asked_[name].insert(verb);
    }
    cluster_.PutOperator(name, asked);
    cluster_.PutOriginal(name, OneIn(3) ? "get,list,escalate" : "get,list");
    for (const char* ns : kPlaces) {
      if (cluster_.Find(kTestCsvs, {ns, name}).is_null()) cluster_.PutCopiedCsv(ns, name);
    }
  }

  void Happen() {
    Act();
    NoteReasons();
  }

  // Simulates people who act between passes and while a process works.
  void Act() {
    const std::string name = kNames[Draw(kNames.size())];
    const std::string ns = kPlaces[Draw(kPlaces.size())];
    const std::string forged = StrCat(
        R"(,"labels":{"olm.copiedFrom":"ops","olm.owner.kind":"ClusterServiceVersion",)",
        R"("olm.owner":")", name, R"(","olm.owner.namespace":")", ns,
        R"("},"ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"forged"}])");
    switch (Draw(16)) {
      case 0:
      case 1:
        return Install(name);
      case 2:
        return cluster_.Drop(kTestCsvs, {"ops", name});
      case 3:
        return cluster_.Drop(OneIn(2) ? kTestRoles : kTestBindings, {"ops", name});
      case 4:
        return cluster_.PutGroup("ops", "g", StrCat(R"({"targetNamespaces":[")", ns, R"(","c"]})"));
      case 5:
        return cluster_.PutGroup("ops", "g",
                                 StrCat(R"({"selector":{"matchLabels":{"team":")", ns, "\"}}}"));
      case 6:
        return cluster_.PutNamespace(ns, OneIn(2) ? "a" : ns);
      case 7:
        return cluster_.Drop(kTestCsvs, {ns, name});
      case 8:
        return OneIn(2) ? cluster_.Drop(kTestOperators, {"", name})
                        : cluster_.Drop(kTestRoles, {ns, name});
      case 9:
        return cluster_.PutRole({ns, name}, StrCat("get,", kEvil), forged);
      case 10:
        return Bind({ns, name}, OneIn(2) ? name : "other", forged);
      case 11:
        return Squat(ns, name);
      case 12:
        return Bind({ns, StrCat("by-hand-", name)}, name, "");
      case 13:
      case 14:
        return Hollow({ns, name}, forged);
      default:
        return cluster_.Drop(kTestBindings, {ns, StrCat("by-hand-", name)});
    }
  }

  // Binds a Role as Kubernetes allows: the Role must exist, and the user must hold all that it
  // grants. Mallory holds the rights that she gives to her own Roles.
  void Bind(const kube::NamespacedName& name, const std::string& role,
            const std::string& metadata) {
    const json::value there = cluster_.Find(kTestRoles, {name.ns, role});
    if (there.is_null()) return;
    for (const json::value& rule : there.at("rules").as_array()) {
      if (IsLock(rule) || rule.at_pointer("/verbs/0") != "watch") return;
    }
    cluster_.PutBinding(name, role, metadata);
  }

  // Mallory creates an empty Role with the copy's name and labels, or empties an existing one.
  void Hollow(const kube::NamespacedName& name, const std::string& metadata) {
    cluster_.PutRole(name, "", metadata);
    if (OneIn(2)) Bind({name.ns, StrCat("by-hand-", name.name)}, name.name, "");
    if (OneIn(2)) Bind(name, name.name, metadata);
    if (OneIn(2)) cluster_.Drop(kTestRoles, name);
  }

  // A tenant creates a Role under the copy's name, or deletes it.
  void Squat(const std::string& ns, const std::string& name) {
    const json::value there = cluster_.Find(kTestRoles, {ns, name});
    if (there.is_null()) {
      cluster_.PutRole({ns, name}, "watch", R"(,"labels":{"mine":"yes"})");
    } else if (!IsOurs(there, ns)) {
      cluster_.Drop(kTestRoles, {ns, name});
    }
  }

  kube::HookedFate Decide(const RbacProcess& process, const kube::HookedCall& call) {
    // The best moment for an attacker to bind a Role is right before it gets rights.
    if (!calm_ && call.verb == kube::ClientVerb::kUpdate && call.gvr == kTestRoles && OneIn(4)) {
      Bind({call.name.ns, StrCat("by-hand-", call.name.name)}, call.name.name, "");
    }
    if (call.writes()) JudgeWrite(call);
    if (call.writes() && writes_ - 1 == death_at_) {
      return death_after_ ? kube::HookedFate::kDieAfter : kube::HookedFate::kDieBefore;
    }
    if (calm_) return {};
    if (OneIn(20)) Meddle(process);
    if (!OneIn(6)) return {};
    return kube::AnyTrouble(
        *this, {kube::ToStatus(kube::ServiceUnavailable("injected", 1)),
                kube::ToStatus(kube::Conflict(call.gvr, call.name.name, "injected")),
                kube::ToStatus(kube::Forbidden(call.gvr, call.name.name, "injected"))});
  }

  // While this process waits for its call, somebody acts and the other process works.
  void Meddle(const RbacProcess& process) {
    if (meddling_) return;
    meddling_ = true;
    if (OneIn(2)) Happen();
    for (const auto& other : processes_) {
      if (other == nullptr || other.get() == &process || other->died()) continue;
      if (OneIn(2)) other->Look();
      other->Settle();
    }
    meddling_ = false;
  }

  void JudgeWrite(const kube::HookedCall& call) {
    ++writes_;
    const std::string what =
        StrCat(kube::VerbText(call.verb), " ", call.gvr.resource, " ", call.name.ns, "/",
               call.name.name, " ", call.body == nullptr ? "" : Serialize(*call.body));
    JudgeGap(call, cluster_.Find(call.gvr, call.name), what);
    ASSERT_TRUE(call.gvr == kTestRoles || call.gvr == kTestBindings) << what;
    ASSERT_NE(call.name.ns, "ops") << what;
    const json::value there = cluster_.Find(call.gvr, call.name);
    if (call.deletion != nullptr) {
      ASSERT_FALSE(call.deletion->uid.empty()) << what;
      ASSERT_FALSE(call.deletion->resource_version.empty()) << what;
      // An object that is unchanged since the read must be one of our copies.
      const bool same =
          !there.is_null() && Text(there, {"metadata", "uid"}) == call.deletion->uid &&
          Text(there, {"metadata", "resourceVersion"}) == call.deletion->resource_version;
      EXPECT_TRUE(!same || IsOurs(there, call.name.ns)) << what;
      return;
    }
    if (call.verb == kube::ClientVerb::kPatch) return JudgeNote(call, there, what);
    ASSERT_TRUE(call.verb == kube::ClientVerb::kCreate || call.verb == kube::ClientVerb::kUpdate)
        << what;
    const json::value& object = *call.body;
    EXPECT_TRUE(IsOurs(object, call.name.ns)) << what;
    if (call.verb == kube::ClientVerb::kUpdate) {
      EXPECT_NE(Text(object, {"metadata", "resourceVersion"}), "") << what;
      const bool same = Text(there, {"metadata", "resourceVersion"}) ==
                        Text(object, {"metadata", "resourceVersion"});
      EXPECT_TRUE(!same || IsOurs(there, call.name.ns)) << what;
    }
    if (call.gvr == kTestRoles) {
      EXPECT_TRUE(Within(Verbs(object), asked_[call.name.name])) << what;
      const std::string sent = Text(object, {"metadata", "resourceVersion"});
      const bool taken = call.verb == kube::ClientVerb::kCreate
                             ? there.is_null()
                             : sent == Text(there, {"metadata", "resourceVersion"});
      EXPECT_TRUE(!taken || Within(Verbs(object), Verbs(there)) ||
                  !IsBoundToMallory(call.name.ns, call.name.name))
          << what << " gives somebody else what he did not have";
      return;
    }
    EXPECT_EQ(Text(object, {"roleRef", "kind"}), "Role") << what;
    EXPECT_EQ(Text(object, {"roleRef", "name"}), call.name.name) << what;
    for (const json::value& subject : object.at("subjects").as_array()) {
      EXPECT_EQ(Text(subject, {"kind"}), "ServiceAccount") << what;
      EXPECT_EQ(Text(subject, {"namespace"}), "ops") << what;
      EXPECT_EQ(Text(subject, {"name"}), call.name.name) << what;
    }
  }

  // Checks a patch: it may only set the annotation that says since when one of our copies is
  // unwanted.
  void JudgeNote(const kube::HookedCall& call, const json::value& there, const std::string& what) {
    const json::object& patch = call.body->as_object();
    ASSERT_EQ(patch.size(), 1) << what;
    const json::object& metadata = patch.at("metadata").as_object();
    ASSERT_EQ(metadata.size(), 3) << what;
    const json::object& annotations = metadata.at("annotations").as_object();
    ASSERT_EQ(annotations.size(), 1) << what;
    EXPECT_TRUE(annotations.contains("steward.operatorframework.io/unwanted-since")) << what;
    const bool same = !there.is_null() &&
                      Text(there, {"metadata", "uid"}) == Text(*call.body, {"metadata", "uid"}) &&
                      Text(there, {"metadata", "resourceVersion"}) ==
                          Text(*call.body, {"metadata", "resourceVersion"});
    EXPECT_TRUE(!same || IsOurs(there, call.name.ns)) << what;
  }

  // Returns what our copies allow the operator in the namespace if `role` and `binding` exist
  // there.
  static std::set<std::string> Access(const std::string& ns, const std::string& name,
                                      const json::value& role, const json::value& binding) {
    if (role.is_null() || binding.is_null()) return {};
    if (!IsOurs(role, ns) || !IsOurs(binding, ns)) return {};
    if (Text(binding, {"roleRef", "name"}) != name) return {};
    for (const json::value& subject : binding.at("subjects").as_array()) {
      if (Text(subject, {"name"}) == name) return Verbs(role);
    }
    return {};
  }

  // Checks that a write removes no access that had a reason throughout the time for which the
  // write's reads may be outdated, unless somebody else would also get the access.
  void JudgeGap(const kube::HookedCall& call, const json::value& there, const std::string& what) {
    const std::string& ns = call.name.ns;
    const std::string& name = call.name.name;
    if (there.is_null() || call.verb == kube::ClientVerb::kCreate ||
        call.verb == kube::ClientVerb::kPatch)
      return;
    const json::value& role = cluster_.Find(kTestRoles, {ns, name});
    const json::value& binding = cluster_.Find(kTestBindings, {ns, name});
    const json::value now = call.deletion != nullptr ? json::value() : *call.body;
    const bool is_role = call.gvr == kTestRoles;
    const std::set<std::string> before = Access(ns, name, role, binding);
    const std::set<std::string> after =
        is_role ? Access(ns, name, now, binding) : Access(ns, name, role, now);
    const auto reason = reasons_.find({ns, name});
    if (reason == reasons_.end() || clock_.Now() - reason->second.since < kOldest) return;
    const std::string version = call.deletion != nullptr
                                    ? call.deletion->resource_version
                                    : Text(now, {"metadata", "resourceVersion"});
    if (Text(there, {"metadata", "resourceVersion"}) != version) return;
    if (IsBoundToMallory(ns, name)) return;
    for (const std::string& verb : before) {
      const bool gap = !after.contains(verb) && reason->second.verbs.contains(verb);
      EXPECT_FALSE(gap) << what << " takes away " << verb;
    }
  }

  // Records for which access there is a reason, and since when.
  void NoteReasons() {
    for (const char* name : kNames) {
      for (const char* ns : kPlaces) {
        std::set<std::string> verbs;
        if (IsTarget(ns) && HasOriginal(name)) verbs = Wanted(name);
        const auto [it, fresh] = reasons_.try_emplace({ns, name});
        if (!fresh && it->second.verbs == verbs) continue;
        it->second = {std::move(verbs), clock_.Now()};
      }
    }
  }

  // Ends all trouble: no call fails, and one process works.
  void Calm() {
    for (auto& process : processes_) process.reset();
    calm_ = true;
    for (const char* name : kNames) {
      if (cluster_.Find(kTestOperators, {"", name}).is_null()) {
        cluster_.fake().Put(kTestOperators, StrCat(R"({"metadata":{"name":")", name, "\"}}"));
      }
      for (const char* ns : kPlaces) {
        if (cluster_.Find(kTestCsvs, {ns, name}).is_null()) cluster_.PutCopiedCsv(ns, name);
      }
    }
    processes_[0] = Start();
    processes_[0]->Finish();
    for (const char* name : kNames) {
      for (const char* ns : kPlaces) Judge(ns, name);
    }
    // Blocked copies are retried now and then, which must change nothing.
    const uint64_t revision = cluster_.fake().revision();
    processes_[0]->Finish();
    processes_[0] = Start();
    processes_[0]->Finish();
    EXPECT_EQ(cluster_.fake().revision(), revision) << "what is right is not written again";
  }

  bool IsTarget(const std::string& ns) {
    const json::value spec = cluster_.All(kTestGroups).front().at("spec");
    if (const json::value* selector = spec.as_object().if_contains("selector")) {
      const json::value place = cluster_.Find(kTestNamespaces, {"", ns});
      return Label(place, "team") == Text(*selector, {"matchLabels", "team"});
    }
    for (const json::value& target : spec.at("targetNamespaces").as_array()) {
      if (std::string(target.as_string()) == ns) return true;
    }
    return false;
  }

  // Returns true if the operator's own Role and RoleBinding both exist and name it as their owner.
  bool HasOriginal(const std::string& name) {
    const json::value csv = cluster_.Find(kTestCsvs, {"ops", name});
    if (csv.is_null()) return false;
    for (const auto& gvr : {kTestRoles, kTestBindings}) {
      const json::value object = cluster_.Find(gvr, {"ops", name});
      if (object.is_null() ||
          object.at_pointer("/metadata/ownerReferences/0/uid") != csv.at_pointer("/metadata/uid")) {
        return false;
      }
    }
    return true;
  }

  std::set<std::string> Wanted(const std::string& name) {
    std::set<std::string> wanted;
    const json::value csv = cluster_.Find(kTestCsvs, {"ops", name});
    json::value asked;
    asked.emplace_object()["rules"] = csv.at_pointer("/spec/install/spec/permissions/0/rules");
    const std::set<std::string> verbs = Verbs(asked);
    for (const std::string& verb : Verbs(cluster_.Find(kTestRoles, {"ops", name}))) {
      if (verbs.contains(verb)) wanted.insert(verb);
    }
    return wanted;
  }

  // Returns true if a RoleBinding to the Role names mallory.
  bool IsBoundToMallory(const std::string& ns, const std::string& name) {
    for (const json::object& object : cluster_.All(kTestBindings)) {
      const json::value binding = object;
      if (Text(binding, {"metadata", "namespace"}) != ns) continue;
      if (Text(binding, {"roleRef", "name"}) != name) continue;
      for (const json::value& subject : binding.at("subjects").as_array()) {
        if (Text(subject, {"name"}) == "mallory") return true;
      }
    }
    return false;
  }

  void Judge(const std::string& ns, const std::string& name) {
    const std::string what = StrCat(ns, "/", name);
    const json::value role = cluster_.Find(kTestRoles, {ns, name});
    const json::value binding = cluster_.Find(kTestBindings, {ns, name});
    const bool role_ours = !role.is_null() && IsOurs(role, ns);
    const bool binding_ours = !binding.is_null() && IsOurs(binding, ns);
    if (!IsTarget(ns) || !HasOriginal(name)) {
      EXPECT_FALSE(role_ours) << what << " is left over";
      EXPECT_FALSE(binding_ours) << what << " is left over";
      return;
    }
    if (role_ours) {
      EXPECT_TRUE(Within(Verbs(role), Wanted(name))) << what << " " << Serialize(role);
    }
    // A binding beside a Role that is no copy is no copy either, whatever its labels.
    if (role_ours && binding_ours) {
      EXPECT_EQ(Text(binding, {"roleRef", "name"}), name) << what;
      const json::array& subjects = binding.at("subjects").as_array();
      ASSERT_EQ(subjects.size(), 1) << what;
      EXPECT_EQ(Text(subjects.front(), {"name"}), name) << what;
    }
    const bool foreign = (!role.is_null() && !role_ours) || (!binding.is_null() && !binding_ours) ||
                         IsBoundToMallory(ns, name);
    if (foreign) return;
    ASSERT_TRUE(role_ours && binding_ours) << what << " is not copied";
    EXPECT_EQ(Verbs(role), Wanted(name)) << what;
    for (const json::value& copy : {role, binding}) {
      const json::array& owners = copy.at_pointer("/metadata/ownerReferences").as_array();
      ASSERT_EQ(owners.size(), 2) << what;
      EXPECT_EQ(owners[0].at("uid"),
                cluster_.Find(kTestCsvs, {ns, name}).at_pointer("/metadata/uid"))
          << what;
      EXPECT_EQ(owners[1].at("uid"),
                cluster_.Find(kTestOperators, {"", name}).at_pointer("/metadata/uid"))
          << what;
    }
  }

  FakeClock clock_;
  RbacCluster cluster_;
  std::array<std::unique_ptr<RbacProcess>, 2> processes_;
  std::map<std::string, std::set<std::string>> asked_;  // ever asked for, by operator
  struct Reason {
    std::set<std::string> verbs;
    absl::Time since;
  };
  std::map<kube::NamespacedName, Reason> reasons_;  // the key is the namespace and the operator
  bool calm_ = false;
  bool meddling_ = false;
  int writes_ = 0;
  int death_at_ = -1;
  bool death_after_ = false;
};

// Tests the end of an operator's access. The access is checked each second and at each write. The
// process dies at a write or in between, and another one starts as late as Leases allow.
enum class Ending { kUninstalled, kRetargeted, kReplaced, kReplacedInVain };

class Succession {
 public:
  struct Death {
    int at_write = -1;
    bool after = false;  // true: the process dies after the write
    int at_second = -1;
  };
  Succession(Ending ending, Death death) : ending_(ending), death_(death) {
    for (const char* ns : {"ops", "a", "b"}) cluster_.PutNamespace(ns, ns);
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a","b"]})");
    Install("reed", /*owners=*/true);
  }

  // Returns whether a process died.
  bool Play() {
    process_ = Start();
    process_->Finish();
    EXPECT_TRUE(MayWork("a", "reed") && MayWork("b", "reed"));
    began_ = clock_.Now();
    End();
    ended_ = true;
    process_->Look();
    for (int second = 0; second <= 60; ++second) {
      Judge();
      if (second == death_.at_second) process_.reset();
      const bool dead = process_ == nullptr || process_->died();
      if (dead && died_at_ == absl::InfinitePast()) died_at_ = clock_.Now();
      if (dead && clock_.Now() - died_at_ >= kLeaseEnds) {
        process_ = Start();
        process_->Look();
      }
      clock_.Advance(absl::Seconds(1));
      if (process_ != nullptr) process_->Settle();
    }
    EXPECT_FALSE(MayWork("a", "reed")) << "a minute after its reason";
    if (ending_ != Ending::kRetargeted) {
      EXPECT_FALSE(MayWork("b", "reed"));
    }
    if (ending_ == Ending::kReplaced) {
      EXPECT_TRUE(MayWork("a", "moss") && MayWork("b", "moss"));
    }
    return died_at_ != absl::InfinitePast();
  }

 private:
  // The Lease lasts 15 seconds and is checked every two.
  static constexpr absl::Duration kLeaseEnds = absl::Seconds(17);

  void Install(const std::string& name, bool owners) {
    cluster_.PutOperator(name, "get");
    if (owners) {
      for (const char* ns : {"a", "b"}) cluster_.PutCopiedCsv(ns, name);
    } else {
      cluster_.Drop(kTestOperators, {"", name});
    }
    cluster_.PutOriginal(name, "get");
  }

  void End() {
    switch (ending_) {
      case Ending::kUninstalled:
        return cluster_.Drop(kTestCsvs, {"ops", "reed"});
      case Ending::kRetargeted:
        return cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["b"]})");
      case Ending::kReplaced:
      case Ending::kReplacedInVain:
        Install("moss", ending_ == Ending::kReplaced);
        return cluster_.Drop(kTestCsvs, {"ops", "reed"});
    }
  }

  bool MayWork(const std::string& ns, const std::string& name) {
    const json::value binding = cluster_.Find(kTestBindings, {ns, name});
    return !binding.is_null() && Verbs(cluster_.Find(kTestRoles, {ns, name})).contains("get");
  }

  void Judge() {
    if (ending_ == Ending::kRetargeted) {
      EXPECT_TRUE(MayWork("b", "reed"));
    }
    if (ending_ == Ending::kReplaced) {
      for (const char* ns : {"a", "b"}) {
        EXPECT_TRUE(MayWork(ns, "reed") || MayWork(ns, "moss"))
            << ns << " " << absl::FormatDuration(clock_.Now() - began_);
      }
    }
    // The access stays for a while, because a replacement of the operator may come.
    if (ending_ == Ending::kReplacedInVain && clock_.Now() - began_ < absl::Seconds(30)) {
      EXPECT_TRUE(MayWork("a", "reed")) << absl::FormatDuration(clock_.Now() - began_);
    }
  }

  std::unique_ptr<RbacProcess> Start() {
    auto process = std::make_unique<RbacProcess>(cluster_, clock_);
    process->hook().decide = [this](const kube::HookedCall& call) {
      kube::HookedFate fate;
      if (!ended_ || !call.writes()) return fate;
      Judge();
      if (writes_++ == death_.at_write) {
        fate.kind = death_.after ? kube::HookedFate::kDieAfter : kube::HookedFate::kDieBefore;
      }
      return fate;
    };
    return process;
  }

  const Ending ending_;
  const Death death_;
  FakeClock clock_;
  RbacCluster cluster_;
  std::unique_ptr<RbacProcess> process_;
  absl::Time began_;
  absl::Time died_at_ = absl::InfinitePast();
  bool ended_ = false;
  int writes_ = 0;
};

TEST(CopiedRbacScheduleTest, AccessEndsInTimeAndWithoutAGapWheneverTheProcessDies) {
  for (const Ending ending :
       {Ending::kUninstalled, Ending::kRetargeted, Ending::kReplaced, Ending::kReplacedInVain}) {
    SCOPED_TRACE(StrCat("ending ", static_cast<int>(ending)));
    PlayDeaths(/*most=*/50, [ending](int at, bool after) {
      return Succession(ending, {.at_write = at, .after = after}).Play();
    });
    if (::testing::Test::HasFailure()) return;
    // A death at any time of the wait: the next process finds since when it lasts.
    for (int second = 0; second <= 40; second += 4) {
      SCOPED_TRACE(StrCat("at second ", second));
      EXPECT_TRUE(Succession(ending, {.at_second = second}).Play());
      if (::testing::Test::HasFailure()) return;
    }
  }
}

// Kills the process before and after every single write.
TEST(CopiedRbacScheduleTest, GoesOnAfterADeathAtEveryWrite) {
  PlayDeaths(/*most=*/100,
             [](int at, bool after) { return Schedule(/*seed=*/3).PlayToDeathAt(at, after); });
}

TEST(CopiedRbacScheduleTest, EndsRightWhateverHappens) {
  PlaySeeds(kSeeds, [](unsigned seed) { Schedule(seed).Play(); });
}

}  // namespace
}  // namespace steward::controllers
