#include "plugin/command/output.h"

#include <boost/json/array.hpp>
#include <string>
#include <vector>

#include "base/status/matchers.h"

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;

const boost::json::object& Document() {
  static const auto& document = *new boost::json::object(
      {{"kind", "Report"}, {"items", boost::json::array{{{"name", "a"}}, {{"name", "b"}}}}});
  return document;
}

std::vector<std::string> Names(const boost::json::object& document) {
  std::vector<std::string> names;
  for (const boost::json::value& item : document.at("items").as_array()) {
    names.push_back("pod/" + std::string(item.at("name").as_string()));
  }
  return names;
}

absl::StatusOr<std::string> Rendered(std::string_view value) {
  EXPECT_TRUE(IsOutput(value));
  const absl::StatusOr<Output> output = ParseOutput(value);
  if (!output.ok()) return output.status();
  return Render(*output, Document(), Names);
}

TEST(OutputTest, Forms) {
  struct Case {
    const char* value;
    const char* want;
  };
  for (const Case& c : {
           Case{"", ""},
           Case{"wide", ""},
           Case{"name", "pod/a\npod/b\n"},
           Case{"yaml", "items:\n- name: a\n- name: b\nkind: Report\n"},
           Case{"jsonpath={.items[*].name}", "a b"},
           Case{"jsonpath={.kind}=", "Report="},
           Case{"jsonpath-as-json={.kind}", "[\n    \"Report\"\n]\n"},
       }) {
    SCOPED_TRACE(c.value);
    ASSERT_OK_AND_ASSIGN(const std::string text, Rendered(c.value));
    EXPECT_EQ(text, c.want);
  }
}

TEST(OutputTest, WhatIsNone) {
  for (const char* value : {"xml", "jsonpaths={.a}", "name=", "json=", "wide,json", "JSON"}) {
    EXPECT_FALSE(IsOutput(value)) << value;
  }
}

TEST(OutputTest, TemplatesThatCannotBeUsed) {
  struct Case {
    const char* value;
    const char* why;
  };
  for (const Case& c : {
           Case{"jsonpath", "needs a template"},
           Case{"jsonpath=", "needs a template"},
           Case{"jsonpath={.a", "parsing jsonpath {.a: unclosed action"},
           Case{"jsonpath={.items[7]}", "executing jsonpath: array index out of bounds"},
       }) {
    SCOPED_TRACE(c.value);
    EXPECT_THAT(Rendered(c.value).status(),
                StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(c.why)));
  }
}

}  // namespace
}  // namespace steward::plugin
