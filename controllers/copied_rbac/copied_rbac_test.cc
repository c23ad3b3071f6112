#include "controllers/copied_rbac/copied_rbac.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/clock/fake_clock.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "controllers/copied_rbac/testing/rbac_cluster.h"
#include "kube/meta/names.h"
#include "kube/meta/status.h"
#include "kube/testing/hook_client.h"

namespace steward::controllers {
namespace {

namespace json = boost::json;
using ::testing::Contains;
using ::testing::Key;
using ::testing::Pair;
using ::testing::StartsWith;

// An operator "reed" in "ops", whose group lists the namespaces a and b.
class CopiedRbacTest : public ::testing::Test {
 protected:
  CopiedRbacTest() {
    for (const char* ns : {"ops", "a", "b"}) cluster_.PutNamespace(ns, ns);
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a","b"]})");
    cluster_.PutOperator("reed", "get,list");
    for (const char* ns : {"a", "b"}) cluster_.PutCopiedCsv(ns, "reed");
  }

  // The verbs that the Role grants, "-" when there is none.
  std::string Verbs(const std::string& ns, const std::string& name = "reed") {
    const json::value role = cluster_.Find(kTestRoles, {ns, name});
    if (role.is_null()) return "-";
    std::string verbs;
    for (const json::value& rule : role.at("rules").as_array()) {
      for (const json::value& verb : rule.at("verbs").as_array()) {
        verbs += verb.as_string().c_str();
        verbs += ' ';
      }
    }
    return verbs;
  }
  bool Bound(const std::string& ns) {
    return !cluster_.Find(kTestBindings, {ns, "reed"}).is_null();
  }
  int CountWrites() {
    int writes = 0;
    process_.hook().decide = [&writes](const kube::HookedCall& call) {
      writes += call.writes() ? 1 : 0;
      return kube::HookedFate();
    };
    process_.Finish();
    process_.hook().decide = nullptr;
    return writes;
  }

  // Lets this much time go by; `each` is called each second.
  void Pass(int seconds, const std::function<void()>& each = nullptr) {
    for (int second = 0; second < seconds; ++second) {
      clock_.Advance(absl::Seconds(1));
      process_.Settle();
      if (each) each();
    }
  }
  // Another operator takes reed's place, and its copies cannot be made.
  void ReplaceInVain() {
    cluster_.PutOperator("reed2", "get");
    cluster_.PutOriginal("reed2", "get");
    cluster_.Drop(kTestOperators, {"", "reed2"});
    cluster_.Drop(kTestCsvs, {"ops", "reed"});
    process_.Look();
  }
  std::string UnwantedSince(const std::string& ns) {
    const json::value role = cluster_.Find(kTestRoles, {ns, "reed"});
    if (role.is_null()) return "-";
    const json::value* annotations = role.at("metadata").as_object().if_contains("annotations");
    const json::value* since =
        annotations == nullptr ? nullptr : annotations->as_object().if_contains(kUnwantedSince);
    return since == nullptr ? "" : std::string(since->as_string());
  }
  void EditUnwantedSince(const std::string& ns, const std::string& text) {
    json::value role = cluster_.Find(kTestRoles, {ns, "reed"});
    role.at("metadata").as_object()["annotations"] = {{kUnwantedSince, text}};
    cluster_.fake().Put(kTestRoles, Serialize(role));
  }

  static constexpr char kUnwantedSince[] = "steward.operatorframework.io/unwanted-since";
  FakeClock clock_;
  RbacCluster cluster_;
  RbacProcess process_{cluster_, clock_};
};

TEST_F(CopiedRbacTest, R_004_16_CopiesIntoEachTarget) {
  cluster_.PutOriginal("reed", "get,list");
  process_.Finish();
  const json::value csv = cluster_.Find(kTestCsvs, {"a", "reed"});
  const json::value made = cluster_.Find(kTestOperators, {"", "reed"});
  for (const auto& gvr : {kTestRoles, kTestBindings}) {
    const json::value copy = cluster_.Find(gvr, {"a", "reed"});
    ASSERT_FALSE(copy.is_null());
    const json::value& metadata = copy.at("metadata");
    EXPECT_EQ(Serialize(metadata.at("labels")),
              R"({"olm.copiedFrom":"ops","olm.managed":"true","olm.owner":"reed",)"
              R"("olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"a"})");
    ASSERT_EQ(metadata.at("ownerReferences").as_array().size(), 2);
    EXPECT_EQ(metadata.at_pointer("/ownerReferences/0/uid"), csv.at_pointer("/metadata/uid"));
    EXPECT_EQ(metadata.at_pointer("/ownerReferences/1/uid"), made.at_pointer("/metadata/uid"));
    EXPECT_EQ(metadata.at_pointer("/ownerReferences/1/kind"), "Operator");
  }
  EXPECT_EQ(Verbs("a"), "get list ");
  EXPECT_EQ(Verbs("b"), "get list ");
  EXPECT_EQ(cluster_.Find(kTestBindings, {"b", "reed"}).at_pointer("/subjects/0/namespace"), "ops");
  EXPECT_EQ(CountWrites(), 0);
}

TEST_F(CopiedRbacTest, FollowsTheOriginal) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "get ");
  cluster_.PutOriginal("reed", "get,list");
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "get list ");
}

TEST_F(CopiedRbacTest, CopiesOnlyWhatIsAskedFor) {
  cluster_.PutOriginal("reed", "get,escalate");
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "get ");
}

TEST_F(CopiedRbacTest, PutsRightWhatATenantEdits) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  const std::string labels =
      R"(,"labels":{"olm.copiedFrom":"ops","olm.owner":"reed",)"
      R"("olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"a"})";
  cluster_.PutRole({"a", "reed"}, "get,escalate", labels);
  cluster_.PutBinding({"a", "reed"}, "reed", labels);
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "get ");
  const json::value binding = cluster_.Find(kTestBindings, {"a", "reed"});
  EXPECT_EQ(binding.at_pointer("/subjects/0/name"), "reed");
  EXPECT_EQ(binding.at("subjects").as_array().size(), 1);
}

// A user who makes the copy's name first, or binds a Role that is about to be copied, gets nothing.
TEST_F(CopiedRbacTest, ForeignObjectsAreLeftAlone) {
  cluster_.PutRole({"a", "reed"}, "watch", R"(,"labels":{"mine":"yes"})");
  cluster_.PutBinding({"b", "other"}, "reed");
  const json::value role = cluster_.Find(kTestRoles, {"a", "reed"});
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  EXPECT_EQ(cluster_.Find(kTestRoles, {"a", "reed"}), role);
  EXPECT_FALSE(Bound("a"));
  EXPECT_EQ(Verbs("b"), "open ") << "it is locked";
  EXPECT_THAT(process_.events().told, Contains(Key("CopiedRbacForeign ops/reed")));
  // Once they are gone the copies are made.
  cluster_.Drop(kTestRoles, {"a", "reed"});
  cluster_.Drop(kTestBindings, {"b", "other"});
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "get ");
  EXPECT_EQ(Verbs("b"), "get ");
  EXPECT_TRUE(Bound("a"));
}

// A binding that bears the copy's name and labels is as foreign as any while it names others.
TEST_F(CopiedRbacTest, ARoleIsGivenNothingThatSomebodyElseWouldHave) {
  cluster_.PutOriginal("reed", "get");
  const std::string labels =
      R"(,"labels":{"olm.copiedFrom":"ops","olm.owner":"reed",)"
      R"("olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"a"})";
  int looks = 0;
  process_.hook().decide = [&](const kube::HookedCall& call) {
    // Right before the Role is locked, which nobody can prevent, and as often as it is tried.
    if (call.writes() && call.gvr == kTestRoles && call.name.ns == "a" && Verbs("a") == "-") {
      cluster_.PutBinding({"a", "reed"}, "reed", labels);
    }
    if (call.verb == kube::ClientVerb::kList && call.gvr == kTestBindings && call.name.ns == "a") {
      ++looks;
      EXPECT_EQ(Verbs("a"), "open ");
    }
    return kube::HookedFate();
  };
  process_.Finish();
  EXPECT_GT(looks, 0);
  EXPECT_EQ(Verbs("a"), "get ");
  EXPECT_EQ(cluster_.Find(kTestBindings, {"a", "reed"}).at_pointer("/subjects/0/name"), "reed");
}

// Labels are anybody's: without operators in the namespace that they name, they cost one look.
TEST_F(CopiedRbacTest, CopiesFromNowhereGo) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  for (const char* source : {"nowhere", "b", "not-there"}) {
    cluster_.PutRole({"a", StrCat("from-", source)}, "get",
                     StrCat(R"(,"labels":{"olm.copiedFrom":")", source,
                            R"(","olm.owner":"x","olm.owner.kind":"ClusterServiceVersion",)",
                            R"("olm.owner.namespace":"a"})"));
  }
  int lists = 0;
  process_.hook().decide = [&lists](const kube::HookedCall& call) {
    lists += call.verb == kube::ClientVerb::kList && call.gvr == kTestRoles ? 1 : 0;
    return kube::HookedFate();
  };
  process_.Finish();
  EXPECT_LE(lists, 2) << "and another one when they are gone";
  for (const char* source : {"nowhere", "b", "not-there"}) {
    EXPECT_TRUE(cluster_.Find(kTestRoles, {"a", StrCat("from-", source)}).is_null()) << source;
  }
  EXPECT_EQ(Verbs("a"), "get ");
}

// Somebody changes the copies whenever they are written: they are tried again ever more rarely.
TEST_F(CopiedRbacTest, WhatIsContestedIsNotTriedAtOnce) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  cluster_.PutOriginal("reed", "get,list");
  int tries = 0;
  process_.hook().decide = [&](const kube::HookedCall& call) {
    kube::HookedFate fate;
    if (call.verb == kube::ClientVerb::kUpdate && call.name.ns == "a") {
      ++tries;
      fate.error = kube::ToStatus(kube::Conflict(call.gvr, call.name.name, "injected"));
    }
    return fate;
  };
  process_.Look();
  for (int second = 0; second < 60; ++second) {
    clock_.Advance(absl::Seconds(1));
    process_.Settle();
  }
  EXPECT_GE(tries, 5);
  EXPECT_LE(tries, 20);
  EXPECT_EQ(Verbs("b"), "get list ");
}

// A finalizer holds a binding to another Role, so none can be made in its place.
TEST_F(CopiedRbacTest, ABindingThatCannotBeReplacedIsTold) {
  cluster_.PutBinding({"a", "reed"}, "other",
                      R"(,"labels":{"olm.copiedFrom":"ops","olm.owner":"reed",)"
                      R"("olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"a"},)"
                      R"("finalizers":["mine/held"],"deletionTimestamp":"2026-01-01T00:00:00Z")");
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "open ");
  EXPECT_EQ(Verbs("b"), "get ");
  EXPECT_THAT(process_.events().told, Contains(Key("CopiedRbacForeign ops/reed")));
}

TEST_F(CopiedRbacTest, R_004_16_TakenAwayWithItsReason) {
  struct Row {
    const char* name;
    void (*end)(RbacCluster& cluster);
    bool everywhere;
  };
  const Row rows[] = {
      {"the group lists it no more",
       [](RbacCluster& cluster) { cluster.PutGroup("ops", "g", R"({"targetNamespaces":["b"]})"); },
       false},
      {"the group selects it no more",
       [](RbacCluster& cluster) {
         cluster.PutGroup("ops", "g", R"({"selector":{"matchLabels":{"team":"b"}}})");
       },
       false},
      {"the operator is gone",
       [](RbacCluster& cluster) {
         cluster.Drop(kTestCsvs, {"ops", "reed"});
       },
       true},
      {"its Role is gone",
       [](RbacCluster& cluster) {
         cluster.Drop(kTestRoles, {"ops", "reed"});
       },
       true},
      {"the group is gone", [](RbacCluster& cluster) { cluster.DropGroup("ops", "g"); }, true},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a","b"]})");
    cluster_.PutOperator("reed", "get,list");
    cluster_.PutOriginal("reed", "get");
    process_.Finish();
    ASSERT_EQ(Verbs("a"), "get ");
    ASSERT_EQ(Verbs("b"), "get ");
    row.end(cluster_);
    process_.Finish();
    EXPECT_EQ(Verbs("a"), "-");
    EXPECT_FALSE(Bound("a"));
    EXPECT_EQ(Verbs("b"), row.everywhere ? "-" : "get ");
  }
}

// Another operator takes the place of one that is gone: at every moment one of both has its access.
TEST_F(CopiedRbacTest, AnUpgradeTakesAwayNoAccess) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  cluster_.PutOperator("reed2", "get");
  for (const char* ns : {"a", "b"}) cluster_.PutCopiedCsv(ns, "reed2");
  cluster_.PutOriginal("reed2", "get");
  cluster_.Drop(kTestCsvs, {"ops", "reed"});
  bool gap = false;
  process_.hook().decide = [&](const kube::HookedCall& call) {
    if (call.verb == kube::ClientVerb::kDelete && call.name.ns == "a")
      gap |= Verbs("a", "reed2") != "get ";
    return kube::HookedFate();
  };
  process_.Finish();
  EXPECT_FALSE(gap);
  EXPECT_EQ(Verbs("a"), "-");
  EXPECT_FALSE(Bound("a"));
  EXPECT_EQ(Verbs("a", "reed2"), "get ");
}

// The following operator's copies have no owner yet, or cannot be written. The reconciler waits for
// them, but not for long.
TEST_F(CopiedRbacTest, AccessEndsThoughNothingTakesItsPlace) {
  for (const bool ownerless : {true, false}) {
    SCOPED_TRACE(ownerless);
    cluster_.PutOperator("reed", "get");
    cluster_.PutOriginal("reed", "get");
    process_.Finish();
    ASSERT_EQ(Verbs("a"), "get ");
    cluster_.PutOperator("reed2", "get");
    cluster_.PutOriginal("reed2", "get");
    if (ownerless) {
      cluster_.Drop(kTestOperators, {"", "reed2"});
    } else {
      process_.hook().decide = [](const kube::HookedCall& call) {
        kube::HookedFate fate;
        if (call.verb == kube::ClientVerb::kCreate) fate.error = absl::UnavailableError("injected");
        return fate;
      };
    }
    cluster_.Drop(kTestCsvs, {"ops", "reed"});
    process_.Look();
    for (int second = 0; second < 60; ++second) {
      if (second < 35) {
        EXPECT_EQ(Verbs("a"), "get ") << second;
      }
      clock_.Advance(absl::Seconds(1));
      process_.Settle();
    }
    EXPECT_EQ(Verbs("a"), "-");
    EXPECT_FALSE(Bound("a"));
    process_.hook().decide = nullptr;
  }
}

// The begin of a copy's wait is noted where another process finds it. Editing the note never
// lengthens the wait, and affects its own namespace alone.
TEST_F(CopiedRbacTest, WhoeverEditsTheNoteOfAWaitShortensIt) {
  const char* const rows[] = {"2100-01-01T00:00:00Z", "2000-01-01T00:00:00Z", "soon", ""};
  for (const char* text : rows) {
    SCOPED_TRACE(text);
    cluster_.PutOperator("reed", "get");
    cluster_.PutOriginal("reed", "get");
    process_.Finish();
    ASSERT_EQ(Verbs("a"), "get ");
    ReplaceInVain();
    Pass(2);
    const std::string noted = UnwantedSince("a");
    EXPECT_EQ(noted, UnwantedSince("b"));
    EXPECT_THAT(noted, StartsWith("20"));
    EditUnwantedSince("a", text);
    Pass(10);
    EXPECT_EQ(Verbs("a"), text[0] == '\0' ? "get " : "-");
    EXPECT_EQ(Verbs("b"), "get ");
    Pass(30);
    EXPECT_EQ(Verbs("a"), "-");
    EXPECT_EQ(Verbs("b"), "-");
    cluster_.Drop(kTestCsvs, {"ops", "reed2"});
  }
}

TEST_F(CopiedRbacTest, WhatIsWantedAgainWaitsNoMore) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  ReplaceInVain();
  Pass(2);
  EXPECT_THAT(UnwantedSince("a"), StartsWith("20"));
  cluster_.PutOperator("reed", "get");
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  EXPECT_EQ(UnwantedSince("a"), "");
  EXPECT_EQ(Verbs("a"), "get ");
}

// Large Roles that bear OLM's labels can be made by anybody who may write in the operator's
// namespace.
TEST_F(CopiedRbacTest, LargeOriginalsAreLeftOutAndKeepNothingBack) {
  cluster_.PutOriginal("reed", "get");
  const std::string csv(
      cluster_.Find(kTestCsvs, {"ops", "reed"}).at_pointer("/metadata/uid").as_string());
  for (int i = 0; i < 10; ++i) {
    const std::string metadata = StrCat(
        R"(,"labels":{"olm.owner":"reed","olm.owner.kind":"ClusterServiceVersion",)",
        R"("olm.owner.namespace":"ops"},"ownerReferences":[{"kind":"ClusterServiceVersion",)",
        R"("name":"reed","uid":")", csv, R"("}],"annotations":{"x":")", std::string(600 << 10, 'x'),
        "\"}");
    cluster_.PutRole({"ops", StrCat("large-", i)}, "get", metadata);
    // These are as large and bear the label of a copy.
    cluster_.PutRole({"a", StrCat("large-", i)}, "get",
                     StrCat(R"(,"labels":{"olm.copiedFrom":"ops","olm.owner":"reed",)",
                            R"("olm.owner.kind":"ClusterServiceVersion",)",
                            R"("olm.owner.namespace":"a"},"annotations":{"x":")",
                            std::string(600 << 10, 'x'), "\"}"));
  }
  // A page of the usual limit does not fit into any answer.
  cluster_.fake().LimitLists(kTestRoles, 2 << 20);
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "get ");
  EXPECT_EQ(Verbs("b"), "get ");
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(Verbs("a", StrCat("large-", i)), "-") << "it was no copy";
    EXPECT_EQ(Verbs("b", StrCat("large-", i)), "-");
  }
  EXPECT_THAT(process_.events().told, Contains(Pair("CopiedRbacTooLarge ops/reed", 10)))
      << "each once";
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["b"]})");
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "-");
  EXPECT_EQ(Verbs("b"), "get ");
  EXPECT_THAT(process_.events().told, Contains(Pair("CopiedRbacTooLarge ops/reed", 10)));
}

// Metadata tells which copies have to go: no content is waited for.
TEST_F(CopiedRbacTest, RemovalsDoNotDependOnContent) {
  struct Row {
    const char* name;
    bool (*unreadable)(const kube::HookedCall& call);
  };
  const Row rows[] = {
      {"of originals",
       [](const kube::HookedCall& call) {
         return call.verb == kube::ClientVerb::kGet && call.gvr == kTestRoles &&
                call.name.ns == "ops";
       }},
      {"of copies",
       [](const kube::HookedCall& call) {
         return call.verb == kube::ClientVerb::kList && call.gvr == kTestRoles &&
                !call.list->metadata_only;
       }},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a","b"]})");
    cluster_.PutOriginal("reed", "get");
    process_.Finish();
    ASSERT_EQ(Verbs("a"), "get ");
    process_.hook().decide = [&row](const kube::HookedCall& call) {
      kube::HookedFate fate;
      if (row.unreadable(call)) fate.error = absl::UnavailableError("injected");
      return fate;
    };
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["b"]})");
    process_.Finish();
    EXPECT_EQ(Verbs("a"), "-");
    EXPECT_FALSE(Bound("a"));
    EXPECT_EQ(Verbs("b"), "get ") << "it is there as far as anybody knows";
    cluster_.Drop(kTestCsvs, {"ops", "reed"});
    process_.Finish();
    EXPECT_EQ(Verbs("b"), "-");
    process_.hook().decide = nullptr;
    cluster_.PutOperator("reed", "get,list");
  }
}

// A webhook changes what is written, and the server answers with success.
TEST_F(CopiedRbacTest, WhatIsNotObeyedIsToldOnceAndTriedEverMoreRarely) {
  struct Row {
    const char* name;
    kube::GroupVersionResource gvr;
    const char* spec;  // of the group
    const char* member;
  };
  const Row rows[] = {
      {"a Role", kTestRoles, R"({"targetNamespaces":["a","b"]})", "rules"},
      {"a RoleBinding", kTestBindings, R"({"targetNamespaces":["a","b"]})", "subjects"},
      {"what is lifted", kTestClusterRoles, "{}", "rules"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    cluster_.PutGroup("ops", "g", row.spec);
    int tries = 0;
    cluster_.rbac_webhook = [&](const kube::GroupVersionResource& gvr, json::object& object) {
      const json::value* ns = object.at("metadata").as_object().if_contains("namespace");
      if (gvr != row.gvr || (ns != nullptr && ns->as_string() != "a")) return;
      ++tries;
      object[row.member] = json::array();
    };
    process_.events().told.clear();
    cluster_.PutOperator("reed", "get");
    cluster_.PutOriginal("reed", "get");
    process_.Look();
    Pass(300);
    EXPECT_GE(tries, 5);
    EXPECT_LE(tries, 30);
    EXPECT_THAT(process_.events().told, Contains(Pair("CopiedRbacNotKept ops/reed", 1)));
    EXPECT_NE(Verbs("a"), "get ");
    cluster_.rbac_webhook = nullptr;
    Pass(60);
    if (row.gvr == kTestClusterRoles) {
      EXPECT_EQ(cluster_.Find(kTestClusterRoles, {"", "reed"}).at("rules").as_array().size(), 2);
    } else {
      EXPECT_EQ(Verbs("a"), "get ");
      EXPECT_EQ(Verbs("b"), "get ");
    }
    cluster_.Drop(kTestCsvs, {"ops", "reed"});
    process_.Finish();
  }
}

// More pairs than are locked together.
class ManyCopiesTest : public CopiedRbacTest {
 protected:
  static constexpr int kMany = 3'000;

  ManyCopiesTest() {
    std::string targets;
    for (int i = 0; i < kMany; ++i) {
      const std::string ns = StrCat("many-", i);
      cluster_.PutNamespace(ns, ns);
      cluster_.PutCopiedCsv(ns, "reed");
      StrAppend(&targets, targets.empty() ? "" : ",", "\"", ns, "\"");
    }
    cluster_.PutGroup("ops", "g", StrCat(R"({"targetNamespaces":[)", targets, "]}"));
    cluster_.PutOriginal("reed", "get");
  }

  // The copies that grant something, and those that are locked.
  std::pair<int, int> GivenAndLocked() {
    std::pair<int, int> counts;
    for (const auto& [key, text] : cluster_.fake().Objects(kTestRoles)) {
      if (key.ns == "ops") continue;
      ++(text.find("locks.") == text.npos ? counts.first : counts.second);
    }
    return counts;
  }
};

TEST_F(ManyCopiesTest, TheNextAreLockedWhileServersLearnOfLocks) {
  process_.Look();
  EXPECT_EQ(GivenAndLocked(), std::pair(0, 2'000));
  Pass(1);
  EXPECT_EQ(GivenAndLocked(), std::pair(2'000, kMany - 2'000));
  Pass(1);
  EXPECT_EQ(GivenAndLocked(), std::pair(kMany, 0));
}

// A pass stands on a snapshot that is good for 30 s.
TEST_F(ManyCopiesTest, NothingIsLockedThatCannotBeGivenItsRulesInTime) {
  cluster_.rbac_webhook = [this](const kube::GroupVersionResource&, json::object&) {
    clock_.Advance(absl::Milliseconds(4));
  };
  // A pass that finds a Role without its rules reads the Role.
  int found = 0;
  process_.hook().decide = [&found](const kube::HookedCall& call) {
    const bool copy = call.gvr == kTestRoles && call.name.ns != "ops";
    found += call.verb == kube::ClientVerb::kGet && copy ? 1 : 0;
    return kube::HookedFate();
  };
  process_.Look();
  Pass(60);
  process_.hook().decide = nullptr;
  EXPECT_EQ(GivenAndLocked(), std::pair(kMany, 0));
  EXPECT_EQ(found, 0);
}

// A webhook takes the lock off a Role: it is given nothing, as somebody may bind it.
TEST_F(CopiedRbacTest, ARoleThatIsNotLockedIsGivenNothing) {
  cluster_.rbac_webhook = [](const kube::GroupVersionResource& gvr, json::object& object) {
    if (gvr != kTestRoles) return;
    json::array& rules = object.at("rules").as_array();
    if (Serialize(rules).find("locks.") != std::string::npos) rules.clear();
  };
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "");
  EXPECT_THAT(process_.events().told, Contains(Pair("CopiedRbacNotKept ops/reed", 2)))
      << "of each copy once";
}

// A kube-apiserver that knew late that the Role was locked has let somebody bind it after the look.
TEST_F(CopiedRbacTest, ABindingThatIsMadeLaterIsFoundAndAnswered) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  ASSERT_EQ(Verbs("a"), "get ");
  cluster_.PutBinding({"a", "other"}, "reed");
  Pass(60);
  EXPECT_EQ(Verbs("a"), "open ") << "it is locked again, and grants nothing";
  EXPECT_EQ(Verbs("b"), "get ");
  EXPECT_THAT(process_.events().told, Contains(Key("CopiedRbacForeign ops/reed")));
  EXPECT_FALSE(cluster_.Find(kTestBindings, {"a", "other"}).is_null()) << "it is somebody's";
  EXPECT_EQ(CountWrites(), 0);
  cluster_.Drop(kTestBindings, {"a", "other"});
  Pass(60);
  EXPECT_EQ(Verbs("a"), "get ");
}

// One more binding of the Role to its own account takes nothing away.
TEST_F(CopiedRbacTest, ALaterBindingOfItsOwnAccountChangesNothing) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  json::value binding = cluster_.Find(kTestBindings, {"a", "reed"});
  binding.as_object()["metadata"] = {{"name", "other"}, {"namespace", "a"}};
  cluster_.fake().Put(kTestBindings, Serialize(binding));
  EXPECT_EQ(CountWrites(), 0);
  EXPECT_EQ(Verbs("a"), "get ");
}

// `69-role-in-target`: OLM's ClusterRoles of an operator that works everywhere.
TEST_F(CopiedRbacTest, LiftedForAllNamespaces) {
  cluster_.PutGroup("ops", "g", "{}");
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  const json::value role = cluster_.Find(kTestClusterRoles, {"", "reed"});
  ASSERT_FALSE(role.is_null());
  EXPECT_EQ(Serialize(role.at("metadata").at("labels")),
            R"({"olm.owner":"reed","olm.owner.namespace":"ops",)"
            R"("olm.owner.kind":"ClusterServiceVersion","olm.managed":"true",)"
            R"("steward.operatorframework.io/lifted":"true"})");
  EXPECT_EQ(Serialize(role.at("rules")),
            R"([{"apiGroups":[""],"resources":["secrets"],"verbs":["get"]},)"
            R"({"apiGroups":[""],"resources":["namespaces"],"verbs":["get","list","watch"]}])");
  const json::value binding = cluster_.Find(kTestClusterBindings, {"", "reed"});
  ASSERT_FALSE(binding.is_null());
  EXPECT_EQ(binding.at("roleRef").at("kind"), "ClusterRole");
  EXPECT_EQ(binding.at_pointer("/subjects/0/namespace"), "ops");
  EXPECT_EQ(CountWrites(), 0);
  // Several groups: nobody knows.
  cluster_.PutGroup("ops", "second", R"({"targetNamespaces":["b"]})");
  EXPECT_EQ(CountWrites(), 0);
  cluster_.DropGroup("ops", "second");
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a"]})");
  process_.Finish();
  EXPECT_TRUE(cluster_.Find(kTestClusterRoles, {"", "reed"}).is_null());
  EXPECT_TRUE(cluster_.Find(kTestClusterBindings, {"", "reed"}).is_null());
  EXPECT_EQ(Verbs("a"), "get ");
}

// A lifted object follows its original, and goes with its operator.
TEST_F(CopiedRbacTest, WhatIsLiftedEndsWithItsReason) {
  cluster_.PutGroup("ops", "g", "{}");
  cluster_.PutOriginal("reed", "get,list");
  process_.Finish();
  ASSERT_FALSE(cluster_.Find(kTestClusterBindings, {"", "reed"}).is_null());
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  const json::value role = cluster_.Find(kTestClusterRoles, {"", "reed"});
  ASSERT_FALSE(role.is_null());
  EXPECT_EQ(Serialize(role.at("rules").at(0).at("verbs")), R"(["get"])");
  EXPECT_FALSE(cluster_.Find(kTestClusterBindings, {"", "reed"}).is_null());
  cluster_.Drop(kTestBindings, {"ops", "reed"});
  process_.Finish();
  EXPECT_TRUE(cluster_.Find(kTestClusterRoles, {"", "reed"}).is_null());
  EXPECT_TRUE(cluster_.Find(kTestClusterBindings, {"", "reed"}).is_null());
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  ASSERT_FALSE(cluster_.Find(kTestClusterRoles, {"", "reed"}).is_null());
  cluster_.Drop(kTestCsvs, {"ops", "reed"});
  process_.Finish();
  EXPECT_TRUE(cluster_.Find(kTestClusterRoles, {"", "reed"}).is_null());
  EXPECT_TRUE(cluster_.Find(kTestClusterBindings, {"", "reed"}).is_null());
}

TEST_F(CopiedRbacTest, SomebodysClusterRoleIsLeftAlone) {
  cluster_.PutGroup("ops", "g", "{}");
  cluster_.PutOriginal("reed", "get");
  cluster_.fake().Put(kTestClusterRoles, R"({"metadata":{"name":"reed"},"rules":[]})");
  process_.Finish();
  EXPECT_TRUE(cluster_.Find(kTestClusterRoles, {"", "reed"}).at("rules").as_array().empty());
  EXPECT_THAT(process_.events().told, Contains(Key("CopiedRbacForeign ops/reed")));
  EXPECT_TRUE(cluster_.Find(kTestClusterBindings, {"", "reed"}).is_null())
      << "nobody is bound to somebody's ClusterRole";
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a"]})");
  process_.Finish();
  EXPECT_FALSE(cluster_.Find(kTestClusterRoles, {"", "reed"}).is_null());
}

// Two groups, or one for all namespaces: nobody takes away or gives what is copied.
TEST_F(CopiedRbacTest, WhereTheTargetsAreNotKnownNothingChanges) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  cluster_.PutGroup("ops", "second", R"({"targetNamespaces":["b"]})");
  EXPECT_EQ(CountWrites(), 0);
  cluster_.DropGroup("ops", "second");
  cluster_.PutGroup("ops", "g", "{}");
  EXPECT_EQ(CountWrites(), 2) << "a ClusterRole and its binding";
  EXPECT_EQ(Verbs("a"), "get ");
}

TEST_F(CopiedRbacTest, R_004_19_OwnersThatAreMadeAnewOwnAgain) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  const json::value uid = cluster_.Find(kTestRoles, {"a", "reed"}).at_pointer("/metadata/uid");
  cluster_.Drop(kTestCsvs, {"a", "reed"});
  cluster_.Drop(kTestOperators, {"", "reed"});
  process_.Finish();
  cluster_.PutCopiedCsv("a", "reed");
  cluster_.PutOperator("reed", "get,list");
  process_.Finish();
  const json::value role = cluster_.Find(kTestRoles, {"a", "reed"});
  EXPECT_EQ(role.at_pointer("/metadata/uid"), uid) << "it is the same: there was no gap";
  EXPECT_EQ(role.at_pointer("/metadata/ownerReferences/0/uid"),
            cluster_.Find(kTestCsvs, {"a", "reed"}).at_pointer("/metadata/uid"));
  EXPECT_EQ(role.at_pointer("/metadata/ownerReferences/1/uid"),
            cluster_.Find(kTestOperators, {"", "reed"}).at_pointer("/metadata/uid"));
}

// Without a complete picture nothing is written, above all nothing is deleted.
TEST_F(CopiedRbacTest, AFailingListIsNoAbsence) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  for (const auto& gvr : {kTestCsvs, kTestRoles, kTestBindings, kTestGroups}) {
    SCOPED_TRACE(gvr.resource);
    int writes = 0;
    process_.hook().decide = [&](const kube::HookedCall& call) {
      kube::HookedFate fate;
      if (call.verb == kube::ClientVerb::kList && call.gvr == gvr) {
        fate.error = kube::ToStatus(kube::Forbidden(gvr, "", "injected"));
      }
      writes += call.writes() ? 1 : 0;
      return fate;
    };
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["b"]})");
    process_.Finish();
    EXPECT_EQ(writes, 0);
    process_.hook().decide = nullptr;
    cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["a","b"]})");
    process_.Finish();
  }
}

TEST_F(CopiedRbacTest, OnlyWhatWasReadIsDeleted) {
  cluster_.PutOriginal("reed", "get");
  process_.Finish();
  process_.hook().decide = [this](const kube::HookedCall& call) {
    if (call.deletion != nullptr && call.name.ns == "a") {
      EXPECT_NE(call.deletion->uid, "");
      EXPECT_NE(call.deletion->resource_version, "");
      // A tenant's own, made in this very moment.
      if (call.gvr == kTestRoles && Verbs("a") == "get ") {
        cluster_.Drop(kTestRoles, {"a", "reed"});
        cluster_.PutRole({"a", "reed"}, "watch", R"(,"labels":{"mine":"yes"})");
      }
    }
    return kube::HookedFate();
  };
  cluster_.PutGroup("ops", "g", R"({"targetNamespaces":["b"]})");
  process_.Finish();
  EXPECT_EQ(Verbs("a"), "watch ");
}

}  // namespace
}  // namespace steward::controllers
