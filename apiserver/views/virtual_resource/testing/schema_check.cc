#include "apiserver/views/virtual_resource/testing/schema_check.h"

#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include "base/json/json_text.h"
#include "base/status/matchers.h"

namespace steward::views {

boost::json::value ParseSchema(std::string_view text) {
  JsonLimits strict;
  strict.refuse_duplicate_keys = true;
  auto schema = ParseJson(text, strict);
  EXPECT_OK(schema);
  return schema.ok() ? *schema : boost::json::value();
}

void CheckSchema(const boost::json::value& schema, const std::string& where) {
  SCOPED_TRACE(where);
  ASSERT_TRUE(schema.is_object());
  const boost::json::object& object = schema.get_object();
  // A value of any type has none.
  EXPECT_TRUE(object.contains("type") || object.contains("allOf") ||
              object.contains("x-kubernetes-preserve-unknown-fields"));
  if (const boost::json::value* items = object.if_contains("items"))
    CheckSchema(*items, where + "[]");
  const boost::json::value* properties = object.if_contains("properties");
  if (const boost::json::value* required = object.if_contains("required")) {
    ASSERT_NE(properties, nullptr);
    for (const boost::json::value& name : required->as_array()) {
      EXPECT_TRUE(properties->as_object().contains(name.as_string())) << name;
    }
  }
  if (properties == nullptr) return;
  for (const auto& [name, property] : properties->as_object()) {
    EXPECT_TRUE(property.is_object() && property.get_object().contains("description")) << name;
    CheckSchema(property, where + "." + std::string(name));
  }
}

std::vector<std::string> PropertiesOf(const boost::json::value& schema) {
  std::vector<std::string> names;
  for (const auto& member : schema.at("properties").as_object()) names.emplace_back(member.key());
  return names;
}

}  // namespace steward::views
