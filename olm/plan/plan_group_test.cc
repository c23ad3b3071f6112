#include "olm/plan/plan_group.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

std::string GroupJson(std::string_view name, std::string_view more_metadata = "",
                      std::string_view spec = "{}") {
  return StrCat(R"({"metadata":{"name":")", name, R"(","namespace":"ops")", more_metadata,
                R"(},"spec":)", spec, "}");
}

constexpr std::string_view kLeaves = R"(,"deletionTimestamp":"2026-01-01T00:00:00Z")";
constexpr std::string_view kNamesDeployer = R"({"serviceAccountName":"deployer"})";

TEST(PlanGroupTest, ExactlyOneThatStaysIsChosen) {
  const struct {
    const char* what;
    std::vector<std::string> groups;
    GroupChoice choice;
  } cases[] = {
      {"none", {}, {"no operator group found that is managing this namespace", "", ""}},
      {"one", {GroupJson("a")}, {"", "a", ""}},
      {"one with an account", {GroupJson("a", "", kNamesDeployer)}, {"", "a", "deployer"}},
      {"one that goes",
       {GroupJson("a", kLeaves)},
       {"no operator group found that is managing this namespace", "", ""}},
      {"one that goes, and another",
       {GroupJson("a", kLeaves, kNamesDeployer), GroupJson("b")},
       {"", "b", ""}},
      {"two",
       {GroupJson("a", "", kNamesDeployer), GroupJson("b")},
       {"more than one operator group(s) are managing this namespace", "", ""}},
  };
  for (const auto& test : cases) {
    SCOPED_TRACE(test.what);
    GroupChooser chooser;
    for (const std::string& group : test.groups) chooser.Add(**DecodePlanGroup(group));
    EXPECT_EQ(chooser.Choose(), test.choice);
  }
}

TEST(PlanGroupTest, WhatIsNoGroupIsAnError) {
  for (const char* text : {"", "[]", "{}", R"({"metadata":{"name":"a"}})", R"({"metadata":1})"}) {
    EXPECT_EQ(DecodePlanGroup(text).status().code(), absl::StatusCode::kInvalidArgument) << text;
  }
}

}  // namespace
}  // namespace steward::olm
