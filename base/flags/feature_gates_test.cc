#include "base/flags/feature_gates.h"

#include "base/status/matchers.h"

namespace steward {
namespace {

using ::testing::HasSubstr;

FeatureGates Gates() {
  return FeatureGates({{"Alpha", false, "does a"}, {"Beta", true, "does b"}});
}

TEST(FeatureGatesTest, DefaultsAndHelp) {
  EXPECT_FALSE(Gates().IsOn("Alpha"));
  EXPECT_TRUE(Gates().IsOn("Beta"));
  EXPECT_EQ(Gates().Help(), "Name=true|false,...:\nAlpha (off): does a\nBeta (on): does b");
  EXPECT_EQ(FeatureGates({}).Help(), "Name=true|false,...; there are none at present");
}

TEST(FeatureGatesTest, AreSet) {
  FeatureGates gates = Gates();
  ASSERT_OK(gates.Set("Alpha=true,Beta=false"));
  EXPECT_TRUE(gates.IsOn("Alpha"));
  EXPECT_FALSE(gates.IsOn("Beta"));
  ASSERT_OK(gates.Set(""));
  ASSERT_OK(gates.Set("Alpha=true,Alpha=false,"));
  EXPECT_FALSE(gates.IsOn("Alpha"));
}

TEST(FeatureGatesTest, AreParsed) {
  ASSERT_OK_AND_ASSIGN(const FeatureGates gates,
                       ParseFeatureGates({{"Alpha", false, "does a"}}, "Alpha=true"));
  EXPECT_TRUE(gates.IsOn("Alpha"));
  EXPECT_THAT(ParseFeatureGates({}, "Alpha=true"),
              StatusIs(absl::StatusCode::kInvalidArgument,
                       "--feature-gates: unknown feature gate \"Alpha\""));
}

TEST(FeatureGatesTest, Refused) {
  const std::pair<const char*, const char*> rows[] = {
      {"Gamma=true", "unknown feature gate \"Gamma\""},
      {"alpha=true", "unknown feature gate \"alpha\""},
      {"Alpha", "\"Alpha\" must be =true or =false"},
      {"Alpha=yes", "\"Alpha\" must be =true or =false"},
      {"Alpha=true=x", "\"Alpha\" must be =true or =false"},
      {"=true", "unknown feature gate \"\""},
  };
  for (const auto& [text, problem] : rows) {
    FeatureGates gates = Gates();
    EXPECT_THAT(gates.Set(text), StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr(problem)));
  }
}

}  // namespace
}  // namespace steward
