#include "olm/copied_rbac/rbac_copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <functional>
#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "olm/copied_rbac/policy_rule.h"
#include "olm/copied_rbac/rbac_object.h"

namespace steward::olm {
namespace {

namespace json = boost::json;

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr char kOwned[] =
    R"("metadata":{"name":"reed-abc","namespace":"ops","uid":"r","resourceVersion":"1",
    "annotations":{"x":"y"},
    "labels":{"olm.owner":"reed.v1","olm.owner.namespace":"ops",
      "olm.owner.kind":"ClusterServiceVersion","olm.permissions.hash":"h",
      "operators.coreos.com/reed.ops":""},
    "ownerReferences":[{"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",
      "name":"reed.v1","uid":"c"}]})";

RbacSource Source() {
  return *ReadRbacSource(R"({"metadata":{"name":"reed.v1","namespace":"ops","uid":"c"},
    "spec":{"install":{"spec":{"permissions":[
      {"serviceAccountName":"reed","rules":[
        {"apiGroups":[""],"resources":["secrets"],"verbs":["get","list"]}]},
      {"serviceAccountName":"second","rules":[
        {"apiGroups":[""],"resources":["secrets"],"verbs":["get"]}]}]}}}})");
}
StoredRbac Role(const std::string& rules =
                    R"([{"apiGroups":[""],"resources":["secrets"],"verbs":["get","list"]}])") {
  return *ReadRbac(RbacKind::kRole, StrCat("{", kOwned, R"(,"rules":)", rules, "}"));
}
StoredRbac Binding(const std::string& subjects =
                       R"([{"kind":"ServiceAccount","name":"reed","namespace":"ops"}])") {
  return *ReadRbac(RbacKind::kRoleBinding,
                   StrCat("{", kOwned, R"(,"roleRef":{"apiGroup":"rbac.authorization.k8s.io",)",
                          R"("kind":"Role","name":"reed-abc"},"subjects":)", subjects, "}"));
}
RbacPair Pair() { return PairsOf(Source(), {Role()}, {Binding()}).at(0); }
const CopyOwners kOwners = {"reed.v1", "copy", "reed.ops", "op"};

// The copy as a cluster stores it.
StoredRbac Stored(const WantedRbac& wanted) {
  json::value object = wanted.ToJson();
  object.as_object()["metadata"].as_object()["uid"] = "s";
  return *ReadRbac(wanted.kind, Serialize(object));
}

TEST(RbacCopyTest, WhatIsCopied) {
  ASSERT_THAT(PairsOf(Source(), {Role()}, {Binding()}), SizeIs(1));
  const struct {
    const char* what;
    std::function<void(RbacSource&, StoredRbac&, StoredRbac&)> change;
  } rows[] = {
      {"a copied CSV", [](auto& csv, auto&, auto&) { csv.copied = true; }},
      {"another CSV", [](auto& csv, auto&, auto&) { csv.facts.key.name = "reed.v2"; }},
      {"a CSV of another UID", [](auto& csv, auto&, auto&) { csv.facts.uid = "other"; }},
      {"a Role that goes", [](auto&, auto& role, auto&) { role.facts.deletion_timestamp = "t"; }},
      {"no owner", [](auto&, auto& role, auto&) { role.owners.clear(); }},
      {"no labels", [](auto&, auto&, auto& binding) { binding.facts.labels.clear(); }},
      {"another owner", [](auto&, auto&, auto& binding) { binding.owners[0].kind = "Pod"; }},
      {"another Role is bound", [](auto&, auto&, auto& binding) { binding.role.name = "x"; }},
      {"a ClusterRole is bound",
       [](auto&, auto&, auto& binding) { binding.role.kind = "ClusterRole"; }},
      {"another account's namespace", [](auto&, auto&, auto& b) { b.subjects[0].ns = "red"; }},
      {"a user", [](auto&, auto&, auto& binding) { binding.subjects[0].kind = "User"; }},
      {"an account that is not asked for",
       [](auto&, auto&, auto& binding) { binding.subjects[0].name = "x"; }},
      {"nothing is asked for", [](auto& csv, auto&, auto&) { csv.permissions.clear(); }},
      {"another name", [](auto&, auto& role, auto&) { role.facts.key.name = "x"; }},
  };
  for (const auto& row : rows) {
    RbacSource source = Source();
    StoredRbac role = Role(), binding = Binding();
    row.change(source, role, binding);
    EXPECT_THAT(PairsOf(source, {role}, {binding}), IsEmpty()) << row.what;
  }
  EXPECT_THAT(PairsOf(Source(), {Role()}, {}), IsEmpty());
}

TEST(RbacCopyTest, OnlyWhatTheOriginalAsksFor) {
  const std::string all = R"([{"apiGroups":["*"],"resources":["*"],"verbs":["*"]}])";
  const auto one = PairsOf(Source(), {Role(all)}, {Binding()});
  ASSERT_THAT(one, SizeIs(1));
  EXPECT_THAT(one[0].rules, ElementsAre(PolicyRule{{""}, {"secrets"}, {}, {"get", "list"}}));
  // Rules count only if both accounts ask for them.
  const auto two = PairsOf(Source(), {Role(all)},
                           {Binding(R"([{"kind":"ServiceAccount","name":"reed","namespace":"ops"},
                                        {"kind":"User","name":"mallory"},
                                        {"kind":"ServiceAccount","name":"second",
                                         "namespace":"ops"}])")});
  ASSERT_THAT(two, SizeIs(1));
  EXPECT_THAT(two[0].rules, ElementsAre(PolicyRule{{""}, {"secrets"}, {}, {"get"}}));
  EXPECT_THAT(two[0].subjects, ElementsAre(Subject{"ServiceAccount", "", "ops", "reed"},
                                           Subject{"ServiceAccount", "", "ops", "second"}));
}

TEST(RbacCopyTest, R_004_16_TheCopy) {
  const std::string metadata =
      R"("metadata":{"name":"reed-abc","namespace":"red","labels":{)"
      R"("olm.copiedFrom":"ops","olm.managed":"true","olm.owner":"reed.v1",)"
      R"("olm.owner.kind":"ClusterServiceVersion","olm.owner.namespace":"red",)"
      R"("olm.permissions.hash":"h"},"ownerReferences":[)"
      R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":"ClusterServiceVersion",)"
      R"("name":"reed.v1","uid":"copy","controller":false,"blockOwnerDeletion":false},)"
      R"({"apiVersion":"operators.coreos.com/v1","kind":"Operator","name":"reed.ops",)"
      R"("uid":"op","controller":false,"blockOwnerDeletion":false}]})";
  EXPECT_EQ(
      CopyOf(Pair(), RbacKind::kRole, "red", kOwners).ToJson(),
      json::parse(StrCat(
          R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"Role",)", metadata,
          R"(,"rules":[{"apiGroups":[""],"resources":["secrets"],"verbs":["get","list"]}]})")));
  EXPECT_EQ(CopyOf(Pair(), RbacKind::kRoleBinding, "red", kOwners).ToJson(),
            json::parse(StrCat(
                R"({"apiVersion":"rbac.authorization.k8s.io/v1","kind":"RoleBinding",)", metadata,
                R"(,"roleRef":{"apiGroup":"rbac.authorization.k8s.io","kind":"Role",)",
                R"("name":"reed-abc"},)",
                R"("subjects":[{"kind":"ServiceAccount","name":"reed","namespace":"ops"}]})")));
  EXPECT_THAT(CopyOf(Pair(), RbacKind::kRole, "red", {"reed.v1", "", "reed.ops", ""}).owners,
              IsEmpty());
}

TEST(RbacCopyTest, WhetherALiveObjectIsACopy) {
  const StoredRbac copy = Stored(CopyOf(Pair(), RbacKind::kRole, "red", kOwners));
  EXPECT_TRUE(IsCopyFrom(copy, "ops"));
  EXPECT_FALSE(IsCopyFrom(copy, "red")) << "from its own namespace";
  EXPECT_FALSE(IsCopyFrom(copy, ""));
  const struct {
    const char* key;
    const char* value;  // null = without the label
    bool copy;
  } rows[] = {
      {"olm.copiedFrom", nullptr, false},     {"olm.copiedFrom", "other", false},
      {"olm.owner.kind", nullptr, false},     {"olm.owner.kind", "OperatorGroup", false},
      {"olm.owner", nullptr, false},          {"olm.owner", "", false},
      {"olm.owner", "reed.v0", true},         {"olm.owner.namespace", nullptr, false},
      {"olm.owner.namespace", "blue", false}, {"olm.owner.namespace", "ops", true},
      {"olm.managed", nullptr, true},         {"mine", "yes", true},
  };
  for (const auto& row : rows) {
    StoredRbac changed = copy;
    changed.facts.labels.erase(row.key);
    if (row.value != nullptr) changed.facts.labels[row.key] = row.value;
    EXPECT_EQ(IsCopyFrom(changed, "ops"), row.copy) << row.key;
  }
}

TEST(RbacCopyTest, WhatIsUpdated) {
  const WantedRbac role = CopyOf(Pair(), RbacKind::kRole, "red", kOwners);
  const WantedRbac binding = CopyOf(Pair(), RbacKind::kRoleBinding, "red", kOwners);
  const struct {
    const char* what;
    const WantedRbac& wanted;
    std::function<void(StoredRbac&)> change;
    Difference difference;
  } rows[] = {
      {"nothing", role, [](auto&) {}, Difference::kNone},
      {"nothing", binding, [](auto&) {}, Difference::kNone},
      {"another label", role, [](auto& o) { o.facts.labels["x"] = "y"; }, Difference::kNone},
      {"a finalizer", role, [](auto& o) { o.facts.finalizers = {"x"}; }, Difference::kNone},
      {"rules", role, [](auto& o) { o.rules[0].verbs = {"*"}; }, Difference::kUpdate},
      {"a label of ours", role, [](auto& o) { o.facts.labels["olm.owner"] = "x"; },
       Difference::kUpdate},
      {"an owner", role, [](auto& o) { o.owners.pop_back(); }, Difference::kUpdate},
      {"a UID", role, [](auto& o) { o.owners[0].uid = "x"; }, Difference::kUpdate},
      {"one more owner", role,
       [](auto& o) {
         o.owners.push_back({"v1", "Pod", "p", "u"});
       },
       Difference::kUpdate},
      {"subjects", binding,
       [](auto& o) {
         o.subjects.push_back({"User", "g", "", "m"});
       },
       Difference::kUpdate},
      {"the Role", binding, [](auto& o) { o.role.name = "x"; }, Difference::kReplace},
      {"it waits, and is wanted again", role,
       [](auto& o) {
         o.unwanted_since = "2026-01-01T00:00:00Z";
         o.object["metadata"].get_object()["annotations"] = {
             {kUnwantedSinceAnnotation, o.unwanted_since}};
       },
       Difference::kUpdate},
      {"a ClusterRole", binding, [](auto& o) { o.role.kind = "ClusterRole"; },
       Difference::kReplace},
  };
  for (const auto& row : rows) {
    StoredRbac stored = Stored(row.wanted);
    row.change(stored);
    EXPECT_EQ(Compare(stored, row.wanted), row.difference) << row.what;
    const auto updated = ReadRbac(row.wanted.kind, Serialize(Updated(stored.object, row.wanted)));
    if (row.difference != Difference::kReplace) {
      EXPECT_EQ(Compare(*updated, row.wanted), Difference::kNone) << row.what;
    }
    EXPECT_FALSE(GrantsNothing(stored));
    EXPECT_TRUE(GrantsNothing(*ReadRbac(row.wanted.kind, Serialize(Emptied(stored)))));
  }
}

TEST(RbacCopyTest, AnUpdateKeepsWhatIsOthers) {
  const WantedRbac role = CopyOf(Pair(), RbacKind::kRole, "red", kOwners);
  const json::value updated = Updated(Role().object, role);
  const json::object& metadata = updated.at("metadata").as_object();
  EXPECT_EQ(metadata.at("annotations"), json::parse(R"({"x":"y"})"));
  EXPECT_EQ(metadata.at("resourceVersion"), "1");
  EXPECT_EQ(metadata.at("labels").at("operators.coreos.com/reed.ops"), "");
}

}  // namespace
}  // namespace steward::olm
