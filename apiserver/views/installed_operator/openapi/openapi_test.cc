#include "apiserver/views/installed_operator/openapi/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::views {
namespace {

namespace json = boost::json;

json::value Schema() {
  JsonLimits strict;
  strict.refuse_duplicate_keys = true;
  auto schema = ParseJson(InstalledOperatorSchema(), strict);
  EXPECT_OK(schema);
  return schema.ok() ? *schema : json::value();
}

// Every schema has a type or refers to another, every member of an object a description, and every
// required member exists.
void Check(const json::value& schema, const std::string& where) {
  SCOPED_TRACE(where);
  ASSERT_TRUE(schema.is_object());
  const json::object& object = schema.get_object();
  EXPECT_TRUE(object.contains("type") || object.contains("allOf"));
  if (const json::value* items = object.if_contains("items")) Check(*items, where + "[]");
  const json::value* properties = object.if_contains("properties");
  if (const json::value* required = object.if_contains("required")) {
    ASSERT_NE(properties, nullptr);
    for (const json::value& name : required->as_array()) {
      EXPECT_TRUE(properties->as_object().contains(name.as_string())) << name;
    }
  }
  if (properties == nullptr) return;
  for (const auto& [name, property] : properties->as_object()) {
    EXPECT_TRUE(property.is_object() && property.get_object().contains("description")) << name;
    Check(property, where + "." + std::string(name));
  }
}

TEST(InstalledOperatorSchemaTest, IsWellFormed) { Check(Schema(), ""); }

TEST(InstalledOperatorSchemaTest, HasWhatAnInstalledOperatorHas) {
  const json::value schema = Schema();
  const auto names = [](const json::value& of) {
    std::vector<std::string> names;
    for (const auto& member : of.at("properties").as_object()) names.emplace_back(member.key());
    return names;
  };
  EXPECT_THAT(names(schema), testing::UnorderedElementsAre("apiVersion", "kind", "metadata",
                                                           "scope", "spec", "status"));
  EXPECT_THAT(names(schema.at("properties").at("scope")),
              testing::UnorderedElementsAre("cleanupOptedIn", "conflicts", "installMode",
                                            "installNamespace", "operatorGroup", "targeted"));
  EXPECT_THAT(names(schema.at("properties").at("spec")),
              testing::UnorderedElementsAre(
                  "annotations", "apiservicedefinitions", "cleanup", "customresourcedefinitions",
                  "description", "displayName", "icon", "install", "installModes", "keywords",
                  "labels", "links", "maintainers", "maturity", "minKubeVersion", "nativeAPIs",
                  "provider", "relatedImages", "release", "replaces", "selector", "skips",
                  "version", "webhookdefinitions"));
  EXPECT_THAT(names(schema.at("properties").at("status")),
              testing::UnorderedElementsAre("certsLastUpdated", "certsRotateAt", "conditions",
                                            "lastTransitionTime", "lastUpdateTime", "message",
                                            "phase", "reason", "requirementStatus"));
}

}  // namespace
}  // namespace steward::views
