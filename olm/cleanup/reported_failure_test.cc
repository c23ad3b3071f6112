#include "olm/cleanup/reported_failure.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

namespace steward::olm {
namespace {

struct ReportCase {
  const char* name;
  const char* object;
  const char* want;
};
class ReportedFailureTest : public ::testing::TestWithParam<ReportCase> {};

TEST_P(ReportedFailureTest, OverridesWinOverSpecWhichWinsOverStatus) {
  const boost::json::value object = boost::json::parse(GetParam().object);
  EXPECT_EQ(ReportedFailureOf(object.as_object(), "CleanupFailed"), GetParam().want);
  EXPECT_EQ(ReportedFailureOf(object.as_object(), ""), "");
}

const ReportCase kCases[] = {
    {"Nothing", R"({})", ""},
    {"NoConditions", R"({"spec":{},"status":{}})", ""},
    {"True",
     R"({"spec":{"conditions":[{"type":"Other","status":"True","message":"no"},
        {"type":"CleanupFailed","status":"True","reason":"Stuck","message":"disk is busy"}]}})",
     "Stuck: disk is busy"},
    {"False",
     R"({"spec":{"conditions":[{"type":"CleanupFailed","status":"False","message":"no"}]},
        "status":{"conditions":[{"type":"CleanupFailed","status":"True","message":"old"}]}})",
     ""},
    {"Unknown", R"({"spec":{"conditions":[{"type":"CleanupFailed","status":"Unknown"}]}})", ""},
    {"OtherCase", R"({"spec":{"conditions":[{"type":"CleanupFailed","status":"true"}]}})", ""},
    {"ByTheFirstVersion",
     R"({"status":{"conditions":[{"type":"CleanupFailed","status":"True","message":"m"}]}})", "m"},
    {"OverriddenByTheAdministrator",
     R"({"spec":{"overrides":[{"type":"CleanupFailed","status":"False"}],
        "conditions":[{"type":"CleanupFailed","status":"True","message":"m"}]}})",
     ""},
    {"TheAdministratorSaysIt",
     R"({"spec":{"overrides":[{"type":"CleanupFailed","status":"True","reason":"R"}]}})", "R"},
    {"WithoutWords", R"({"spec":{"conditions":[{"type":"CleanupFailed","status":"True"}]}})",
     "CleanupFailed"},
    {"OfOtherTypes",
     R"({"spec":{"conditions":[7,null,{"type":7},{"type":"CleanupFailed","status":true}]}})", ""},
    {"NoLists", R"({"spec":{"overrides":{},"conditions":"x"},"status":[]})", ""},
};
INSTANTIATE_TEST_SUITE_P(All, ReportedFailureTest, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace steward::olm
