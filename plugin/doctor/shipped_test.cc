#include "plugin/doctor/shipped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace steward::plugin {
namespace {

TEST(Shipped, HasEachFolderOnceWithItsObjects) {
  std::vector<std::string> names;
  std::set<std::string> kinds;
  for (const ShippedFolder& folder : ShippedFolders()) {
    names.push_back(folder.name);
    EXPECT_FALSE(folder.objects.empty()) << folder.name;
    for (const boost::json::object& each : folder.objects) {
      EXPECT_FALSE(NameIn(each).empty()) << folder.name;
      kinds.emplace(KindOf(each));
    }
  }
  EXPECT_EQ(names.front(), "base");
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_THAT(names, ::testing::IsSupersetOf({"overlays/copies", "overlays/install-plans",
                                              "overlays/operators", "overlays/payload",
                                              "overlays/standalone/certificates"}));
  EXPECT_THAT(kinds,
              ::testing::UnorderedElementsAre("ServiceAccount", "ClusterRole", "ClusterRoleBinding",
                                              "Role", "RoleBinding", "ValidatingAdmissionPolicy",
                                              "ValidatingAdmissionPolicyBinding"));
}

TEST(Shipped, NamesWhatTheClusterDoesNotSay) {
  struct Case {
    const char* shipped;
    const char* actual;
    const char* difference;
  };
  for (const Case& each : {
           Case{R"({"a":1})", R"({"a":1,"b":2})", "b"},
           Case{R"({"a":1})", R"({"a":1,"b":{},"c":[],"matchPolicy":"Equivalent"})", ""},
           Case{R"({"r":[{"a":1}]})", R"({"r":[{"a":1,"scope":"*"}]})", ""},
           Case{R"({"r":[{"a":1}]})", R"({"r":[{"a":1,"scope":"Cluster"}]})", "r[0].scope"},
           Case{R"({"m":{}})", R"({"m":{"excludeResourceRules":[{}]}})", "m.excludeResourceRules"},
           Case{R"({"a":1})", R"({"a":2})", "a"},
           Case{R"({"a":{"b":[1,{"c":"x"}]}})", R"({"a":{"b":[1,{"c":"x","d":{}}]}})", ""},
           Case{R"({"a":{"b":[1,{"c":"x"}]}})", R"({"a":{"b":[1,{"c":"y"}]}})", "a.b[1].c"},
           Case{R"({"a":[1]})", R"({"a":[1,2]})", "a"},
           Case{R"({"a":[1]})", R"({"a":"1"})", "a"},
           Case{R"({"a":"x  y\nz"})", R"({"a":"x y z"})", ""},
           Case{R"({"a":"xyz"})", R"({"a":"xyw"})", "a"},
           Case{R"({"a":{}})", R"({})", "a"},
           Case{R"({"a":{}})", R"({"a":null})", "a"},
       }) {
    EXPECT_EQ(DifferenceFrom(boost::json::parse(each.shipped), boost::json::parse(each.actual), ""),
              each.difference)
        << each.shipped << each.actual;
  }
}

}  // namespace
}  // namespace steward::plugin
