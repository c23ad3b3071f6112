#include "controllers/cleanup/guards/intern_table.h"

#include <gtest/gtest.h>

#include <string>

namespace steward::controllers {
namespace {

TEST(InternTableTest, EqualValuesAreHeldOnce) {
  InternTable<std::string> table;
  const auto a = table.Hold("a");
  const auto b = table.Hold("b");
  EXPECT_NE(a, b);
  EXPECT_EQ(table.Hold("a"), a);
  EXPECT_EQ(table[a], "a");
  EXPECT_EQ(table[b], "b");
  EXPECT_EQ(table.size(), 2u);
}

TEST(InternTableTest, AValueGoesWithItsLastHolder) {
  InternTable<std::string> table;
  const auto a = table.Hold("a");
  const auto b = table.Hold("b");
  table.Hold("a");
  table.Drop(a);
  EXPECT_TRUE(table.holds(a));
  table.Drop(a);
  EXPECT_FALSE(table.holds(a));
  EXPECT_EQ(table.size(), 1u);
  EXPECT_EQ(table[b], "b");
  // Numbers are reused, so they stay small.
  const auto c = table.Hold("c");
  EXPECT_EQ(table[c], "c");
  EXPECT_EQ(table.bound(), 2u);
}

}  // namespace
}  // namespace steward::controllers
