#include "olm/operator/operator_status.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

namespace json = boost::json;

json::object Parsed(std::string_view text) { return json::parse(text).as_object(); }

const kube::GroupVersionKind kDeployment = {"apps", "v1", "Deployment"};

TEST(OperatorStatusTest, TakesConditions) {
  constexpr char kFull[] =
      R"({"type":"Available","status":"True","reason":"R","message":"M",)"
      R"("lastUpdateTime":"2026-01-02T03:04:05Z","lastTransitionTime":"2026-01-02T03:04:06Z"})";
  const std::pair<std::string, std::string> rows[] = {
      {R"({"conditions":[)" + std::string(kFull) + "]}", StrCat("[", kFull, "]")},
      {R"({"conditions":[{"type":"A","status":"False","reason":"","observedGeneration":3,)"
       R"("lastTransitionTime":null,"lastUpdateTime":"soon"}]})",
       R"([{"type":"A","status":"False"}])"},
      {R"({"conditions":[{"type":"A"},{"status":"True"},3,null]})", "[]"},
      {R"({"conditions":{}})", "[]"},
      {"{}", "[]"},
      {"3", "[]"},
  };
  for (const auto& [status, conditions] : rows) {
    EXPECT_EQ(Serialize(ReadConditions(Parsed(StrCat(R"({"status":)", status, "}")))), conditions);
  }
}

TEST(OperatorStatusTest, ThePhaseIsTheConditionOfACsv) {
  CsvContent csv;
  EXPECT_TRUE(ConditionsOf(csv).empty());
  csv.phase = "Succeeded";
  csv.status_json =
      std::string(R"("phase":"Succeeded","lastUpdateTime":"2026-01-02T03:04:05Z","conditions":[])");
  csv.reason_json = R"("InstallSucceeded")";
  EXPECT_EQ(Serialize(ConditionsOf(csv)),
            R"([{"type":"Succeeded","status":"True","reason":"InstallSucceeded",)"
            R"("lastUpdateTime":"2026-01-02T03:04:05Z"}])");
}

TEST(OperatorStatusTest, IsInOrderAndWrittenOnce) {
  json::object condition = {{"type", "A"}, {"status", "True"}};
  const std::vector<ComponentRef> refs = {
      {{"", "v1", "ServiceAccount"}, {"ops", "a"}, {}},
      {kDeployment, {"ops", "b"}, {}},
      {kDeployment, {"ops", "a"}, {condition}},
      {kDeployment, {"app", "c"}, {}},
      {{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, {"", "x.y"}, {}},
  };
  const std::string expected =
      R"({"labelSelector":{"matchExpressions":[{"key":"operators.coreos.com/reed.ops",)"
      R"("operator":"Exists"}]},"refs":[)"
      R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1","name":"x.y"},)"
      R"({"kind":"Deployment","apiVersion":"apps/v1","namespace":"app","name":"c"},)"
      R"({"kind":"Deployment","apiVersion":"apps/v1","namespace":"ops","name":"a",)"
      R"("conditions":[{"type":"A","status":"True"}]},)"
      R"({"kind":"Deployment","apiVersion":"apps/v1","namespace":"ops","name":"b"},)"
      R"({"kind":"ServiceAccount","apiVersion":"v1","namespace":"ops","name":"a"}]})";
  const json::object components = ComponentsOf("reed.ops", refs);
  EXPECT_EQ(Serialize(components), expected);

  json::object object = NewOperator("reed.ops");
  EXPECT_EQ(Serialize(object),
            R"({"apiVersion":"operators.coreos.com/v1","kind":"Operator","metadata":)"
            R"({"name":"reed.ops","annotations":)"
            R"({"steward.operatorframework.io/generated":"true"}},"spec":{}})");
  EXPECT_TRUE(SetComponents(components, object));
  EXPECT_FALSE(SetComponents(components, object));
  // The order of members says nothing.
  object["status"] =
      Parsed(R"({"components":{"labelSelector":{"matchExpressions":[{"operator":"Exists",)"
             R"("key":"operators.coreos.com/reed.ops"}]}},"other":1})");
  EXPECT_FALSE(SetComponents(ComponentsOf("reed.ops", {}), object));
  EXPECT_TRUE(SetComponents(components, object));
  EXPECT_TRUE(object.at("status").as_object().contains("other"));
}

}  // namespace
}  // namespace steward::olm
