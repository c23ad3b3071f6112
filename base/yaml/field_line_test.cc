#include "base/yaml/field_line.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steward {
namespace {

constexpr char kText[] = R"(# about
kind: A
spec:
  list:
  - name: one
    more: {a: 1,
           b: 2}
  - name: two
    "quoted.key": x
  anchored: &x
    c: 1
  same: *x
other:
  list: []
)";

struct Row {
  std::vector<std::string> field;
  size_t line;
};

TEST(FieldLineTest, Finds) {
  for (const Row& row : std::vector<Row>{{{}, 1},
                                         {{"kind"}, 2},
                                         {{"spec", "list"}, 4},
                                         {{"spec", "list", "0"}, 5},
                                         {{"spec", "list", "0", "more", "b"}, 7},
                                         {{"spec", "list", "1"}, 8},
                                         {{"spec", "list", "1", "quoted.key"}, 9},
                                         {{"spec", "list", "1", "missing", "c"}, 8},
                                         {{"spec", "list", "7"}, 4},
                                         {{"spec", "anchored", "c"}, 11},
                                         {{"other", "list"}, 14},
                                         {{"missing"}, 1}}) {
    EXPECT_EQ(LineOfField(kText, row.field), row.line);
  }
  EXPECT_EQ(LineOfField("{\"a\":\n {\"b\": 1}}", {"a", "b"}), 2U);
  EXPECT_EQ(LineOfField("a: [\nb: 1", {"b"}), 1U);
  EXPECT_EQ(LineOfField(std::string(1000, '['), {"b"}), 1U);
}

}  // namespace
}  // namespace steward
