#include "apiserver/rest/encoding/array_document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/value.hpp>
#include <string>
#include <vector>

#include "apiserver/rest/negotiation/negotiation.h"
#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/yaml/yaml.h"

namespace steward::rest {
namespace {

std::string Whole(const std::string& head, const std::string& key,
                  const std::vector<std::string>& elements) {
  std::string out = head.substr(0, head.size() - 1) + ",\"" + key + "\":[";
  for (size_t i = 0; i < elements.size(); ++i) out += (i == 0 ? "" : ",") + elements[i];
  return out + "]}";
}

std::string Streamed(const OutputFormat& format, const std::string& head, const std::string& key,
                     const std::vector<std::string>& elements) {
  ArrayDocument document(format, head, key);
  Rope out;
  EXPECT_OK(document.Begin(out.text()));
  for (const std::string& element : elements) {
    EXPECT_OK(document.Element(out, [&](Rope& o) { o.Splice(element); }));
  }
  document.End(out.text());
  return out.Flatten();
}

// The bytes written element by element equal those of the whole document written at once.
TEST(ArrayDocumentTest, SameAsTheWhole) {
  const std::string lines =
      R"({"z":"a\nb\n","k":{"deep":["x\n\ny","- no list",{"a":1,"b":[]}]},"e":{},"n":null})";
  const struct {
    std::string name, head, key;
    std::vector<std::string> elements;
  } kRows[] = {
      {"empty", R"({"kind":"L","metadata":{}})", "items", {}},
      {"one", R"({"kind":"L","metadata":{"r":"1"}})", "items", {R"({"a":1})"}},
      {"text of lines", R"({"kind":"L","apiVersion":"v1"})", "items", {lines, lines, R"({})"}},
      {"array last", R"({"kind":"T","columns":[{"a":"1"},2]})", "rows", {R"({"c":["x",1]})"}},
      {"array first", R"({"kind":"T","z":1.5})", "a", {"1", R"("s")", "[1,2]", "[]"}},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const std::string whole = Whole(row.head, row.key, row.elements);
    EXPECT_EQ(Streamed({Serializer::kJson}, row.head, row.key, row.elements), whole + "\n");

    OutputFormat pretty;
    pretty.pretty = true;
    EXPECT_EQ(Streamed(pretty, row.head, row.key, row.elements), IndentJson(whole));

    std::string yaml;
    ASSERT_OK(WriteJsonAsYaml(whole, yaml));
    EXPECT_EQ(Streamed({Serializer::kYaml}, row.head, row.key, row.elements), yaml);
    ASSERT_OK_AND_ASSIGN(const boost::json::value read, ParseYaml(yaml));
    ASSERT_OK_AND_ASSIGN(const boost::json::value want, ParseJson(whole));
    EXPECT_EQ(read, want);
  }
}

TEST(AppendDocumentTest, Layouts) {
  const std::string json = R"({"a":1,"b":["x"]})";
  std::string out;
  ASSERT_OK(AppendDocument({Serializer::kJson}, json, out));
  EXPECT_EQ(out, json + "\n");
  out.clear();
  OutputFormat pretty;
  pretty.pretty = true;
  ASSERT_OK(AppendDocument(pretty, json, out));
  EXPECT_EQ(out, "{\n  \"a\": 1,\n  \"b\": [\n    \"x\"\n  ]\n}");
  out.clear();
  ASSERT_OK(AppendDocument({Serializer::kYaml}, json, out));
  EXPECT_EQ(out, "a: 1\nb:\n- x\n");
}

TEST(AppendDocumentTest, WhatIsNoJsonIsAnError) {
  std::string out;
  EXPECT_FALSE(AppendDocument({Serializer::kYaml}, "{", out).ok());
}

}  // namespace
}  // namespace steward::rest
