#include "apiserver/discovery/openapi_v2_binary.h"

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <string>
#include <vector>

#include "apiserver/discovery/openapi_v2.pb.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

json::object DocumentOf(const std::string& schemas) {
  return json::parse(R"({"paths":{},"components":{"schemas":)" + schemas + "}}").as_object();
}

// The definitions, as one line of text each.
std::map<std::string, std::string> DefinitionsOf(const std::vector<json::object>& documents) {
  openapi::v2::Document document;
  EXPECT_TRUE(document.ParseFromString(OpenApiV2Binary(documents, "v9")));
  EXPECT_EQ(document.swagger(), "2.0");
  EXPECT_EQ(document.info().version(), "v9");
  google::protobuf::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  std::map<std::string, std::string> definitions;
  for (const auto& definition : document.definitions().additional_properties()) {
    EXPECT_FALSE(definitions.contains(definition.name())) << "once";
    printer.PrintToString(definition.value(), &definitions[definition.name()]);
  }
  return definitions;
}

TEST(OpenApiV2BinaryTest, Schemas) {
  const struct {
    std::string schema, want;
  } rows[] = {
      {R"({"type":"string","description":"d","format":"date-time"})",
       R"(format: "date-time" description: "d" type { value: "string" } )"},
      {R"({"type":"boolean"})", R"(type { value: "boolean" } )"},
      {R"({"type":"object"})", R"(type { value: "object" } )"},
      {R"({"type":"object","required":["a",1],"properties":{"a":{"type":"integer"}}})",
       R"(required: "a" type { value: "object" } properties { additional_properties { name: "a" )"
       R"(value { type { value: "integer" } } } } )"},
      {R"({"type":"object","properties":{}})", R"(type { value: "object" } properties { } )"},
      {R"({"type":"object","additionalProperties":{"type":"number"}})",
       R"(additional_properties { schema { type { value: "number" } } } type { value: "object" } )"},
      {R"({"type":"object","additionalProperties":true})", R"(type { value: "object" } )"},
      {R"({"type":"array","items":{"type":"string"}})",
       R"(type { value: "array" } items { schema { type { value: "string" } } } )"},
      {R"({"$ref":"#/components/schemas/other"})", R"(ref: "#/definitions/other" )"},
      {R"({"description":"d","default":{},"allOf":[{"$ref":"#/components/schemas/other"}]})",
       R"(ref: "#/definitions/other" )"},
      {R"({"type":"object","x-kubernetes-group-version-kind":[{"kind":"K"}]})",
       R"(type { value: "object" } vendor_extension { name: "x-kubernetes-group-version-kind" )"
       R"(value { yaml: "[{\"kind\":\"K\"}]" } } )"},
      // If kubectl would refuse more than the server for a type, or everything, the schema omits
      // the type.
      {R"({"type":"string","nullable":true})", ""},
      {R"({"type":"object","properties":{"a":{}},"x-kubernetes-preserve-unknown-fields":true})",
       ""},
      {R"({"x-kubernetes-int-or-string":true,"anyOf":[{"type":"string"}]})", ""},
      {R"({"type":"object","properties":{"a":{}},"x-kubernetes-embedded-resource":true})", ""},
      {R"({"type":"array"})", ""},
      {R"({"type":"array","items":[{"type":"string"}]})", ""},
      {R"({"type":["string","null"]})", ""},
      {R"({"type":"whatever"})", ""},
      {R"({"$ref":"#/components/schemas/nobody"})", ""},
      {R"({"$ref":"elsewhere"})", ""},
      {R"({"properties":{"a":{}}})", ""},
      {"true", ""},
      {"{}", ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.schema);
    const auto got = DefinitionsOf({DocumentOf(R"({"one":)" + row.schema + R"(,"other":{}})")});
    EXPECT_EQ(got.at("one"), row.want);
  }
}

TEST(OpenApiV2BinaryTest, WhatSeveralDocumentsHaveIsThereOnce) {
  const auto got = DefinitionsOf({DocumentOf(R"({"a":{},"meta":{"type":"object"}})"),
                                  DocumentOf(R"({"meta":{"type":"object"},"b":{}})")});
  EXPECT_EQ(got.size(), 3u);
}

}  // namespace
}  // namespace steward::discovery
