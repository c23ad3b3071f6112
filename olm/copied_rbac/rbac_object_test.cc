#include "olm/copied_rbac/rbac_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "olm/copied_rbac/policy_rule.h"

namespace steward::olm {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(RbacObjectTest, Binding) {
  const auto binding = ReadRbac(RbacKind::kRoleBinding, R"({
    "metadata":{"name":"b","namespace":"ops","uid":"u","resourceVersion":"7",
      "labels":{"a":"b"},"ownerReferences":[{"apiVersion":"v1","kind":"K","name":"n","uid":"x",
        "controller":true},3]},
    "roleRef":{"apiGroup":"g","kind":"Role","name":"b"},
    "subjects":[{"kind":"ServiceAccount","name":"reed","namespace":"ops"},
      {"kind":"User","apiGroup":"g","name":"m"}]})");
  ASSERT_OK(binding);
  EXPECT_EQ(binding->facts.key.name, "b");
  EXPECT_THAT(binding->owners, ElementsAre(OwnerReference{"v1", "K", "n", "x", true, false}));
  EXPECT_EQ(binding->role, (RoleReference{"g", "Role", "b"}));
  EXPECT_THAT(binding->subjects, ElementsAre(Subject{"ServiceAccount", "", "ops", "reed"},
                                             Subject{"User", "g", "", "m"}));
}

TEST(RbacObjectTest, Role) {
  const auto role = ReadRbac(RbacKind::kRole, R"({"metadata":{"name":"b","uid":"u"},
    "rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]})");
  ASSERT_OK(role);
  EXPECT_THAT(role->rules, ElementsAre(PolicyRule{{""}, {"pods"}, {}, {"get"}}));
}

TEST(RbacObjectTest, WhatIsNoneIsAnError) {
  for (const char* bad : {"", "[]", "{}", R"({"metadata":{"name":"b"}})", "{\"metadata\":1}"}) {
    EXPECT_THAT(ReadRbac(RbacKind::kRole, bad), StatusIs(absl::StatusCode::kInvalidArgument))
        << bad;
    EXPECT_THAT(ReadRbacSource(bad), StatusIs(absl::StatusCode::kInvalidArgument)) << bad;
  }
}

TEST(RbacObjectTest, Source) {
  const std::string head = R"({"metadata":{"name":"reed.v1","namespace":"ops","uid":"u")";
  const std::string spec = R"(,"spec":{"install":{"spec":{"permissions":[
    {"serviceAccountName":"reed","rules":[{"apiGroups":[""],"resources":["pods"],"verbs":["get"]}]},
    {"serviceAccountName":"other"},5]}}}})";
  const auto source = ReadRbacSource(
      head +
      R"(,"labels":{"a":"b","operators.coreos.com/":"","operators.coreos.com/reed.ops":""}})" +
      spec);
  ASSERT_OK(source);
  EXPECT_EQ(source->operator_name, "reed.ops");
  ASSERT_THAT(source->permissions, SizeIs(2));
  EXPECT_EQ(source->permissions[0].service_account, "reed");
  EXPECT_THAT(source->permissions[0].rules, SizeIs(1));
  EXPECT_THAT(source->permissions[1].rules, IsEmpty());
  EXPECT_FALSE(source->copied);
  for (const char* copy :
       {R"(,"labels":{"olm.copiedFrom":"x"}}})", R"(},"status":{"reason":"Copied"}})",
        R"(,"annotations":{"olm.operatorNamespace":"x"}}})"}) {
    const auto copied = ReadRbacSource(head + copy);
    ASSERT_OK(copied);
    EXPECT_TRUE(copied->copied) << copy;
    EXPECT_EQ(copied->operator_name, "");
  }
}

}  // namespace
}  // namespace steward::olm
