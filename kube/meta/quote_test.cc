#include "kube/meta/quote.h"

#include <gtest/gtest.h>

namespace steward::kube {
namespace {

TEST(QuoteTest, AsGoDoes) {
  const struct {
    std::string in;
    const char* out;
  } rows[] = {
      {"", R"("")"},
      {"plain name/1", R"("plain name/1")"},
      {R"(a"b\c')", R"("a\"b\\c'")"},
      {"\a\b\f\n\r\t\v", R"("\a\b\f\n\r\t\v")"},
      {std::string("\0\x1b\x7f", 3), R"("\x00\x1b\x7f")"},
      {"é漢😀", R"("é漢😀")"},
      {"\xff\xc3", R"("\xff\xc3")"},
      {"\u0080\u00a0\u00ad\u200b\u2028\ue000\ufeff",
       R"("\u0080\u00a0\u00ad\u200b\u2028\ue000\ufeff")"},
      {"\U000e0001\U0010fffd", R"("\U000e0001\U0010fffd")"},
      {"\ufffd", "\"\ufffd\""},
  };
  for (const auto& row : rows) EXPECT_EQ(Quote(row.in), row.out);
}

}  // namespace
}  // namespace steward::kube
