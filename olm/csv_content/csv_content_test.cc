#include "olm/csv_content/csv_content.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

namespace steward::olm {
namespace {

namespace json = boost::json;

struct Case {
  const char* spec;
  std::vector<std::string> problems;
};

TEST(CsvContentTest, NothingIsLeftOutWithoutAWord) {
  const std::string in = "spec.install.spec.";
  const std::vector<Case> cases = {
      {"{}", {}},
      {R"({"install":null})", {}},
      {R"({"install":{"spec":null}})", {}},
      {R"({"install":{"spec":{"permissions":[{"serviceAccountName":"a","rules":[]}]}}})", {}},
      {R"({"install":{"spec":{"permissions":[{"serviceAccountName":"a","rules":[
            {"verbs":["get"],"resourceNames":null}]}]}}})",
       {}},
      {R"({"install":{"spec":7}})", {"spec.install.spec: must be a mapping"}},
      {R"({"install":{"spec":{"permissions":{}}}})", {in + "permissions: must be a list"}},
      {R"({"install":{"spec":{"permissions":[7]}}})", {in + "permissions[0]: must be a mapping"}},
      {R"({"install":{"spec":{"clusterPermissions":[{"serviceAccountName":"a","rules":"all"}]}}})",
       {in + "clusterPermissions[0].rules: must be a list"}},
      {R"({"install":{"spec":{"permissions":[{"rules":[]}]}}})",
       {in + "permissions[0].serviceAccountName: is missing"}},
      {R"({"install":{"spec":{"permissions":[{"serviceAccountName":"a"}]}}})",
       {in + "permissions[0].rules: is missing"}},
      {R"({"install":{"spec":{"permissions":[{"serviceAccountName":"","rules":[]}]}}})",
       {in + "permissions[0].serviceAccountName: must not be empty"}},
      {R"({"install":{"spec":{"permissions":[{"serviceAccountName":"a","rules":[
            {"verbs":"get"}]}]}}})",
       {in + "permissions[0].rules[0].verbs: must be a list"}},
      {R"({"install":{"spec":{"permissions":[{"serviceAccountName":"a","rules":[{}]}]}}})",
       {in + "permissions[0].rules[0].verbs: is missing"}},
      {R"({"version":"v1.2"})", {}},
      {R"({"version":"one"})", {R"(spec.version: "one" is no version)"}},
      {R"({"installModes":[{"type":"AllNamespaces","supported":"yes"}]})",
       {"spec.installModes[0].supported: must be a boolean"}},
  };
  for (const Case& each : cases) {
    json::object csv = {{"apiVersion", "operators.coreos.com/v1alpha1"},
                        {"kind", "ClusterServiceVersion"},
                        {"metadata", {{"name", "reed.v1"}}},
                        {"spec", json::parse(each.spec)}};
    EXPECT_EQ(CsvContentProblems(csv), each.problems) << each.spec;
  }
}

}  // namespace
}  // namespace steward::olm
