#include "kube/client/warnings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

using ::testing::SizeIs;

std::vector<std::string> Parsed(std::string_view header) {
  std::vector<std::string> warnings;
  AppendWarnings(header, warnings);
  return warnings;
}

TEST(WarningsTest, Texts) {
  struct Row {
    std::string_view header;
    std::vector<std::string> texts;
  };
  const std::vector<Row> rows = {
      {R"(299 - "v1beta1 Widget is deprecated")", {"v1beta1 Widget is deprecated"}},
      {R"(299 - "a, b",299 - "c")", {"a, b", "c"}},
      {R"( , 299 - "a" ,, 299 agent "b" , )", {"a", "b"}},
      {R"(299 - "say \"so\" \\ \x")", {R"(say "so" \ x)"}},
      {R"(299 - "a" "Sat, 25 Aug 2012 23:34:45 GMT", 299 - "b")", {"a", "b"}},
      {R"(110 - "stale", 299 - "a")", {"a"}},
      {R"(299 - "", 299 - "a")", {"a"}},
      {"299 - \"\xC3\xA4\"", {"\xC3\xA4"}},
      {"", {}},
      {"299", {}},
      {"299 - ", {}},
      {"299 - text", {}},
      {R"(299 - "not closed)", {}},
      {R"(299 - "not closed\")", {}},
      {R"(299 - "not closed\)", {}},
      {R"(299  "no agent")", {}},
      {R"(2990 - "a")", {}},
      {R"(abc - "a")", {}},
      {R"(299 - "a" b, 299 - "c")", {}},
      {R"(299 - "a", nonsense, 299 - "c")", {"a"}},
      {"299 - \"a\x1B[31m\"", {}},
      {"299 - \"a\\\x01\"", {}},
  };
  for (const Row& row : rows) EXPECT_EQ(Parsed(row.header), row.texts) << row.header;
}

TEST(WarningsTest, AreBounded) {
  std::string header;
  for (int i = 0; i < 100; ++i) StrAppend(&header, "299 - \"", i, "\",");
  const std::vector<std::string> many = Parsed(header);
  ASSERT_THAT(many, SizeIs(kMaxWarnings));
  EXPECT_EQ(many.back(), "63");

  const std::string full(kMaxWarningBytes, 'x');
  EXPECT_EQ(Parsed(StrCat("299 - \"", full, "\", 299 - \"b\"")),
            (std::vector<std::string>{full, "b"}));
  EXPECT_EQ(Parsed(StrCat("299 - \"", full, "yyy\"")), std::vector<std::string>{full});
  // A character that would end beyond the limit is left out as a whole.
  const std::string shorter = full.substr(1);
  EXPECT_EQ(Parsed(StrCat("299 - \"", shorter, "\xC3\xA4\"")), std::vector<std::string>{shorter});
}

}  // namespace
}  // namespace steward::kube
