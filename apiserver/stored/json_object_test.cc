#include "apiserver/stored/json_object.h"

#include <gtest/gtest.h>

#include <string>

#include "base/clock/fake_clock.h"
#include "kube/client/raw_object.h"
#include "kube/meta/time.h"

namespace steward::stored {
namespace {

class JsonObjectTest : public testing::Test {
 protected:
  JsonObject Make(std::string json) {
    return JsonObject(kube::OwnedRawObject(std::move(json)), columns_, clock_);
  }

  const Columns columns_{{}};
  FakeClock clock_{*kube::ParseRfc3339("2024-01-01T00:05:00Z")};
};

TEST_F(JsonObjectTest, PassesItsBytesOn) {
  const std::string metadata =
      R"({"creationTimestamp":"2024-01-01T00:00:00Z","labels":{"name":"no"},"name":"w",)"
      R"("namespace":"n","resourceVersion":"7"})";
  const std::string json = R"({"kind":"Widget","spec":{"metadata":{"name":"inner"}},"metadata":)" +
                           metadata + R"(,"apiVersion":"g/v1"})";
  const JsonObject object = Make(json);
  EXPECT_EQ(object.name(), "w");
  EXPECT_EQ(object.ns(), "n");
  EXPECT_EQ(object.resource_version(), "7");
  Rope rope;
  object.AppendJson("99", rope);
  EXPECT_EQ(rope.Flatten(), json);
  rope.Clear();
  object.AppendMetadata("99", rope);
  EXPECT_EQ(rope.Flatten(), metadata);
  std::string out;
  object.AppendCells(out);
  EXPECT_EQ(out, R"(["w","5m"])");
}

TEST_F(JsonObjectTest, Strange) {
  const struct {
    std::string json, metadata, name;
  } kRows[] = {
      {"{}", "{}", ""},
      {R"({"metadata":null})", "{}", ""},
      {R"({"metadata":[1]})", "{}", ""},
      {R"({"metadata":{}})", "{}", ""},
      {R"({ "metadata" : { "name" : "w" } })", R"({ "name" : "w" })", "w"},
      {R"({"metadata":{"name":1,"namespace":"n"}})", R"({"name":1,"namespace":"n"})", ""},
      {R"({"metadata":{"name":"\u0077"}})", R"({"name":"\u0077"})", "w"},
      {R"({"metadata":{"nam)", "{}", ""},
      {"", "{}", ""},
      {"[]", "{}", ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.json);
    const JsonObject object = Make(row.json);
    Rope metadata;
    object.AppendMetadata("", metadata);
    EXPECT_EQ(metadata.Flatten(), row.metadata);
    EXPECT_EQ(object.name(), row.name);
    std::string out;
    object.AppendCells(out);
    EXPECT_EQ(out, "[\"" + row.name + "\",null]");
  }
}

TEST_F(JsonObjectTest, Annotations) {
  const JsonObject object = Make(R"({"metadata":{"annotations":{"a/b":"true"}}})");
  EXPECT_TRUE(object.HasAnnotation("a/b"));
  EXPECT_FALSE(object.HasAnnotation("a"));
  EXPECT_FALSE(Make(R"({"metadata":{"annotations":null}})").HasAnnotation("a"));
  EXPECT_FALSE(Make("{}").HasAnnotation("a"));
}

}  // namespace
}  // namespace steward::stored
