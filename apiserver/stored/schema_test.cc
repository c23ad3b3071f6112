#include "apiserver/stored/schema.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>

#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::stored {
namespace {

boost::json::value SchemaOf(const std::string& own) {
  kube::ResourceType type;
  type.gvk = {"g", "v1", "Widget"};
  type.schema = own;
  const auto schema = ParseJson(OpenApiSchema(type));
  EXPECT_OK(schema);
  return *schema;
}

void ExpectCommonFields(const boost::json::value& schema) {
  const boost::json::value& properties = schema.at("properties");
  EXPECT_EQ(properties.at("apiVersion").at("type"), "string");
  EXPECT_EQ(properties.at("kind").at("type"), "string");
  EXPECT_EQ(properties.at("metadata").at("allOf").at(0).at("$ref"),
            "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");
}

TEST(SchemaTest, KeepsWhatIsKnown) {
  const boost::json::value schema = SchemaOf(
      R"({"type":"object","description":"Mine.","required":["spec"],"properties":{
          "kind":{"type":"string","description":"Its kind."},
          "metadata":{"type":"object"},
          "spec":{"type":"object","properties":{"size":{"type":"integer"}}}}})");
  ExpectCommonFields(schema);
  EXPECT_EQ(schema.at("description"), "Mine.");
  EXPECT_EQ(schema.at("required").at(0), "spec");
  EXPECT_EQ(schema.at("properties").at("kind").at("description"), "Its kind.");
  EXPECT_EQ(schema.at("properties").at("spec").at("properties").at("size").at("type"), "integer");
  EXPECT_FALSE(schema.as_object().contains("x-kubernetes-preserve-unknown-fields"));
}

TEST(SchemaTest, AnyObjectWhereNothingIsKnown) {
  for (const char* own : {"", "{", "[]", "null", "\"x\""}) {
    SCOPED_TRACE(own);
    const boost::json::value schema = SchemaOf(own);
    ExpectCommonFields(schema);
    EXPECT_EQ(schema.at("type"), "object");
    EXPECT_EQ(schema.at("x-kubernetes-preserve-unknown-fields"), true);
  }
}

TEST(SchemaTest, StrangeProperties) {
  for (const char* own : {R"({"properties":null})", R"({"properties":[]})", "{}"}) {
    ExpectCommonFields(SchemaOf(own));
  }
}

}  // namespace
}  // namespace steward::stored
