#include "base/flags/flag_values.h"

#include <string>

#include "base/status/matchers.h"

namespace steward {
namespace {

struct Colour {
  std::string name = "red";
};
struct Size {
  int width = 3;
};

TEST(FlagValuesTest, HasDefaultsUntilTheyAreChanged) {
  FlagValues values;
  EXPECT_EQ(values.Get<Colour>().name, "red");
  values.Of<Colour>().name = "green";
  EXPECT_EQ(values.Get<Colour>().name, "green");
  EXPECT_EQ(values.Get<Size>().width, 3) << "another type is another value";
}

TEST(FlagValuesTest, WhatFlagsAreBoundToStaysWhereItIs) {
  FlagValues values;
  Size& size = values.Of<Size>();
  values.Of<Colour>();
  size.width = 4;
  EXPECT_EQ(&values.Of<Size>(), &size);
  EXPECT_EQ(values.Get<Size>().width, 4);
}

TEST(FlagValuesTest, ACopyIsOnItsOwn) {
  FlagValues values;
  values.Of<Size>().width = 4;
  FlagValues copy = values;
  copy.Of<Size>().width = 5;
  EXPECT_EQ(values.Get<Size>().width, 4);
  EXPECT_EQ(copy.Get<Size>().width, 5);
}

}  // namespace
}  // namespace steward
