#include "kube/meta/metadata_access.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>

#include "kube/meta/names.h"

namespace steward::kube {
namespace {

TEST(MetadataAccessTest, WhatIsThere) {
  const struct {
    const char* json;
    bool has_metadata;
    NamespacedName name;
    const char* uid;
  } rows[] = {
      {R"({"metadata":{"namespace":"n","name":"a","uid":"u"}})", true, {"n", "a"}, "u"},
      {R"({"metadata":{"name":"a"}})", true, {"", "a"}, ""},
      {R"({"metadata":{"namespace":null,"name":7,"uid":["u"]}})", true, {}, ""},
      {R"({"metadata":{}})", true, {}, ""},
      {R"({"metadata":null})", false, {}, ""},
      {R"({"metadata":[]})", false, {}, ""},
      {R"({"name":"a","uid":"u"})", false, {}, ""},
      {"[]", false, {}, ""},
      {"null", false, {}, ""},
      {R"("metadata")", false, {}, ""},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.json);
    const boost::json::value object = boost::json::parse(row.json);
    EXPECT_EQ(MetadataOf(object) != nullptr, row.has_metadata);
    EXPECT_EQ(NameOf(object), row.name);
    EXPECT_EQ(MetadataText(object, "uid"), row.uid);
  }
}

}  // namespace
}  // namespace steward::kube
