#include "kube/meta/condition.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>

#include "base/json/json_access.h"

namespace steward::kube {
namespace {

// The condition's message; "-" where there is none.
std::string MessageOf(const std::string& object) {
  const boost::json::value value = boost::json::parse(object);
  const boost::json::object* condition = ConditionOf(value.as_object(), "Ready");
  return condition == nullptr ? "-" : std::string(StringAt(*condition, "message"));
}

TEST(ConditionTest, TheFirstOfItsType) {
  EXPECT_EQ(MessageOf(R"({"status":{"conditions":[7,{"type":"Other","message":"no"},)"
                      R"({"type":"Ready","message":"a"},{"type":"Ready","message":"b"}]}})"),
            "a");
  for (const char* none : {"{}", R"({"status":7})", R"({"status":{"conditions":{}}})",
                           R"({"status":{"conditions":[{"message":"a"}]}})"}) {
    EXPECT_EQ(MessageOf(none), "-") << none;
  }
}

}  // namespace
}  // namespace steward::kube
