#include "kube/schema/schema.h"

#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::kube {
namespace {

namespace json = boost::json;

Schema Compiled(const std::string& text) {
  absl::StatusOr<Schema> schema = Schema::Parse(text);
  EXPECT_OK(schema) << text;
  return schema.ok() ? *std::move(schema) : *Schema::Parse("{}");
}

json::object Object(const std::string& text) {
  absl::StatusOr<json::value> value = ParseJson(text);
  EXPECT_OK(value) << text;
  return value.ok() && value->is_object() ? value->get_object() : json::object();
}

// A schema whose spec has the field "f".
std::string WithField(const std::string& field) {
  return StrCat(R"({"type":"object","properties":{"spec":{"type":"object","properties":{"f":)",
                field, "}}}}");
}

std::string Causes(const Schema& schema, const std::string& object,
                   const std::string& stored = "") {
  const json::object before = stored.empty() ? json::object() : Object(stored);
  std::vector<std::string> lines;
  for (const StatusCause& cause :
       schema.Validate(Object(object), stored.empty() ? nullptr : &before)) {
    lines.push_back(StrCat(cause.reason, " ", cause.field, ": ", cause.message));
  }
  return absl::StrJoin(lines, "\n");
}

std::string Completed(const std::string& schema, const std::string& object) {
  json::object completed = Object(object);
  Compiled(schema).Complete(completed);
  return Serialize(completed);
}

TEST(SchemaTest, TheCausesOfOneFieldAreInKubernetesWords) {
  const struct {
    const char* schema;
    const char* value;
    const char* causes;
  } kRows[] = {
      {R"({"type":"string"})", R"("a")", ""},
      {R"({"type":"string"})", "1.10",
       "FieldValueTypeInvalid spec.f: Invalid value: \"number\": spec.f in body must be of type "
       "string: \"number\""},
      {R"({"type":"string"})", "1",
       "FieldValueTypeInvalid spec.f: Invalid value: \"integer\": spec.f in body must be of type "
       "string: \"integer\""},
      {R"({"type":"string"})", "null",
       "FieldValueTypeInvalid spec.f: Invalid value: \"null\": spec.f in body must be of type "
       "string: \"null\""},
      {R"({"type":"string","nullable":true})", "null", ""},
      {R"({"type":"integer"})", "2.0", ""},
      {R"({"type":"integer"})", "2.5",
       "FieldValueTypeInvalid spec.f: Invalid value: \"number\": spec.f in body must be of type "
       "integer: \"number\"\n"
       "FieldValueInvalid <nil>: Invalid value: \"\": Checked value must be of type integer "
       "(default "
       "format) in spec.f"},
      {R"({"type":"integer","format":"int32"})", "4294967296",
       "FieldValueInvalid <nil>: Invalid value: \"\": Checked value must be of type integer with "
       "format int32 in spec.f"},
      {R"({"type":"number"})", "2", ""},
      {R"({"x-kubernetes-int-or-string":true})", "2", ""},
      {R"({"x-kubernetes-int-or-string":true})", R"("25%")", ""},
      {R"({"x-kubernetes-int-or-string":true})", "true",
       "FieldValueTypeInvalid spec.f: Invalid value: \"boolean\": spec.f in body must be of type "
       "integer,string: \"boolean\""},
      {R"({"type":"string","enum":["a","b"]})", R"("c")",
       "FieldValueNotSupported spec.f: Unsupported value: \"c\": supported values: \"a\", \"b\""},
      {R"({"type":"string","pattern":"^a+$"})", R"("aaa")", ""},
      {R"({"type":"string","pattern":"^a+$"})", R"("b")",
       "FieldValueInvalid spec.f: Invalid value: \"b\": spec.f in body should match '^a+$'"},
      // RE2 has no look-ahead: such a pattern is not enforced.
      {R"({"type":"string","pattern":"^(?!a).*$"})", R"("a")", ""},
      {R"({"type":"string","maxLength":2})", R"("äö")", ""},
      {R"({"type":"string","maxLength":2})", R"("abc")",
       "FieldValueTooLong spec.f: Too long: may not be more than 2 bytes"},
      {R"({"type":"string","minLength":2})", R"("a")",
       "FieldValueInvalid spec.f: Invalid value: \"a\": spec.f in body should be at least 2 chars "
       "long"},
      {R"({"type":"integer","maximum":3})", "4",
       "FieldValueInvalid spec.f: Invalid value: 4: spec.f in body should be less than or equal to "
       "3"},
      {R"({"type":"integer","minimum":3,"exclusiveMinimum":true})", "3",
       "FieldValueInvalid spec.f: Invalid value: 3: spec.f in body should be greater than 3"},
      {R"({"type":"number","multipleOf":0.5})", "1.25",
       "FieldValueInvalid spec.f: Invalid value: 1.25: spec.f in body should be a multiple of 0.5"},
      {R"({"type":"array","maxItems":1,"items":{"type":"string"}})", R"(["a",2])",
       "FieldValueTypeInvalid spec.f[1]: Invalid value: \"integer\": spec.f[1] in body must be of "
       "type string: \"integer\"\n"
       "FieldValueTooMany spec.f: Too many: 2: must have at most 1 item"},
      {R"({"type":"array","minItems":1})", "[]",
       "FieldValueInvalid spec.f: Invalid value: 0: spec.f in body should have at least 1 items"},
      {R"({"type":"object","required":["a"]})", "{}",
       "FieldValueRequired spec.f.a: Required value"},
      {R"({"type":"object","additionalProperties":{"type":"string"}})", R"({"k":true})",
       "FieldValueTypeInvalid spec.f.k: Invalid value: \"boolean\": spec.f.k in body must be of "
       "type string: \"boolean\""},
      {R"({"type":"object","minProperties":1})", "{}",
       "FieldValueInvalid spec.f: Invalid value: 0: spec.f in body should have at least 1 "
       "properties"},
      {R"({"type":"string","format":"date-time"})", R"("2026-01-02T03:04:05Z")", ""},
      {R"({"type":"string","format":"date-time"})", R"("2026-02-30T03:04:05Z")",
       "FieldValueTypeInvalid spec.f: Invalid value: \"2026-02-30T03:04:05Z\": spec.f in body must "
       "be of type date-time: \"2026-02-30T03:04:05Z\""},
      {R"({"type":"string","format":"unknown"})", R"("x")", ""},
      {R"({"not":{"type":"string"}})", R"("x")",
       "FieldValueInvalid <nil>: Invalid value: \"\": \"spec.f\" must not validate the schema "
       "(not)"},
      {R"({"type":"integer","allOf":[{"minimum":2},{"maximum":9}]})", "1",
       "FieldValueInvalid spec.f: Invalid value: 1: spec.f in body should be greater than or equal "
       "to 2\n"
       "FieldValueInvalid <nil>: Invalid value: \"\": \"spec.f\" must validate all the schemas "
       "(allOf)"},
      {R"({"type":"object","oneOf":[{"required":["a"]},{"required":["b"]}]})", R"({"a":1,"b":2})",
       "FieldValueInvalid <nil>: Invalid value: \"\": \"spec.f\" must validate one and only one "
       "schema (oneOf). Found 2 valid alternatives"},
      {R"({"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}]})", "{}",
       "FieldValueInvalid <nil>: Invalid value: \"\": \"spec.f\" must validate at least one schema "
       "(anyOf)\n"
       "FieldValueRequired spec.f.a: Required value"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Causes(Compiled(WithField(row.schema)), StrCat(R"({"spec":{"f":)", row.value, "}}")),
              row.causes)
        << row.schema << " " << row.value;
  }
}

TEST(SchemaTest, FormatsAreThoseOfKubernetes) {
  const struct {
    const char* format;
    const char* good;
    const char* bad;
  } kRows[] = {
      {"date", "2026-02-28", "2026-2-28"},
      {"duration", "1h30m", "soon"},
      {"duration", "3 days", "three days"},
      {"byte", "aGk=", "?"},
      {"ipv4", "10.0.0.1", "10.0.0.256"},
      {"ipv6", "::1", "10.0.0.1"},
      {"cidr", "10.0.0.0/8", "10.0.0.0/33"},
      {"mac", "00:00:5e:00:53:01", "00:00:5e"},
      {"uri", "https://example.com/a", "example"},
      {"email", "a@example.com", "example.com"},
      {"hostname", "a.example.com", "-a"},
      {"uuid", "0b1f8f5e-9f2e-1c3d-8e4f-5a6b7c8d9e0f", "0b1f8f5e"},
      {"uuid4", "0b1f8f5e-9f2e-4c3d-8e4f-5a6b7c8d9e0f", "0b1f8f5e-9f2e-1c3d-8e4f-5a6b7c8d9e0f"},
  };
  for (const auto& row : kRows) {
    const Schema schema =
        Compiled(WithField(StrCat(R"({"type":"string","format":")", row.format, "\"}")));
    const auto object = [](const char* value) {
      return StrCat(R"({"spec":{"f":")", value, "\"}}");
    };
    EXPECT_EQ(Causes(schema, object(row.good)), "") << row.format;
    EXPECT_NE(Causes(schema, object(row.bad)), "") << row.format;
  }
}

TEST(SchemaTest, RequiredMembersOfTheRootAreNamedWithoutADot) {
  const Schema schema = Compiled(R"({"type":"object","required":["spec"]})");
  EXPECT_EQ(Causes(schema, "{}"), "FieldValueRequired spec: Required value");
}

// If a definition became stricter, Kubernetes lets objects that were stored before be changed in
// other fields.
TEST(SchemaTest, AnUpdateMayKeepWhatWasWrongBefore) {
  const Schema schema = Compiled(
      R"({"type":"object","properties":{"spec":{"type":"object","properties":{
          "a":{"type":"string"},"b":{"type":"string"}}}}})");
  const char* stored = R"({"spec":{"a":1,"b":"x"}})";
  EXPECT_EQ(Causes(schema, R"({"spec":{"a":1,"b":"y"}})", stored), "");
  EXPECT_NE(Causes(schema, R"({"spec":{"a":2,"b":"x"}})", stored), "");
}

TEST(SchemaTest, UnknownFieldsArePruned) {
  constexpr char kSchema[] = R"({"type":"object","properties":{
      "spec":{"type":"object","properties":{
        "known":{"type":"object"},
        "open":{"type":"object","x-kubernetes-preserve-unknown-fields":true,
                "properties":{"closed":{"type":"object"}}},
        "map":{"type":"object","additionalProperties":{"type":"object",
               "properties":{"a":{"type":"string"}}}},
        "free":{"type":"object","additionalProperties":true},
        "list":{"type":"array","items":{"type":"object","properties":{"a":{"type":"string"}}}}}}}})";
  EXPECT_EQ(Completed(kSchema, R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},"extra":1,
                  "spec":{"known":{"x":1},"open":{"x":{"y":2},"closed":{"x":1}},
                          "map":{"k":{"a":"1","b":2}},"free":{"k":1,"o":{"x":1}},
                          "list":[{"a":"1","b":2}],"unknown":1}})"),
            R"({"apiVersion":"g/v1","kind":"K","metadata":{"name":"n"},)"
            R"("spec":{"known":{},"open":{"x":{"y":2},"closed":{}},"map":{"k":{"a":"1"}},)"
            R"("free":{"k":1,"o":{}},"list":[{"a":"1"}]}})");
}

TEST(SchemaTest, DefaultsAreFilledInAndForbiddenNullsDropped) {
  constexpr char kSchema[] = R"({"type":"object","properties":{
      "spec":{"type":"object","default":{},"properties":{
        "size":{"type":"integer","default":3},
        "name":{"type":"string"},
        "maybe":{"type":"string","nullable":true,"default":"d"}}}}})";
  EXPECT_EQ(Completed(kSchema, "{}"), R"({"spec":{"maybe":"d","size":3}})");
  EXPECT_EQ(Completed(kSchema, R"({"spec":{"size":null,"name":null,"maybe":null}})"),
            R"({"spec":{"size":3,"maybe":null}})");
  EXPECT_EQ(Completed(kSchema, R"({"spec":{"size":5,"maybe":"m"}})"),
            R"({"spec":{"size":5,"maybe":"m"}})");
}

TEST(SchemaTest, WhatIsTooDeepIsNotChecked) {
  std::string schema = R"({"type":"string"})";
  std::string value = "1";
  for (int i = 0; i < Schema::kMaxDepth; ++i) {
    schema = StrCat(R"({"type":"object","properties":{"a":)", schema, "}}");
    value = StrCat(R"({"a":)", value, "}");
  }
  EXPECT_EQ(Causes(Compiled(schema), value), "");
}

TEST(SchemaTest, WorkAndCausesAreBounded) {
  std::string alternatives = R"({"type":"string"})";
  for (int i = 0; i < 1100; ++i) alternatives += R"(,{"type":"string"})";
  std::string values = "1";
  for (int i = 0; i < 1100; ++i) values += ",1";
  const std::string object = StrCat(R"({"spec":{"f":[)", values, "]}}");
  const std::string wide = Causes(
      Compiled(WithField(StrCat(R"({"type":"array","items":{"anyOf":[)", alternatives, "]}}"))),
      object);
  EXPECT_NE(wide.find("steps to validate"), std::string::npos);

  const Schema narrow = Compiled(WithField(R"({"type":"array","items":{"type":"string"}})"));
  EXPECT_EQ(narrow.Validate(Object(object), nullptr).size(), Schema::kMaxCauses);
}

TEST(SchemaTest, ASchemaMustBeAnObject) {
  for (const char* text : {"", "[]", "{"}) EXPECT_FALSE(Schema::Parse(text).ok()) << text;
  // Malformed keywords are ignored.
  EXPECT_EQ(Causes(Compiled(R"({"type":7,"properties":[],"required":{},"enum":1,"items":[]})"),
                   R"({"a":1})"),
            "");
}

}  // namespace
}  // namespace steward::kube
