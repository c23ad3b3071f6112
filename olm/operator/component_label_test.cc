#include "olm/operator/component_label.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

struct NameCase {
  std::string uncut;
  std::string name;  // "" = an error
};

// The vectors are OLM's.
TEST(ComponentLabelTest, R_004_13_IsCutAsOlmDoes) {
  const std::string with = "this-is-my-operator-its-the-coolest-you-got-a-problem-with";
  const std::string full(63, 'a');
  for (const NameCase& tc : std::vector<NameCase>{
           {"reed.ops", "reed.ops"},
           {with + "-that-come-at-me-bro", with + "-that"},
           {with + "----...---___...---", with},
           {full, full},
           {full + "b", full},
           {StrCat(std::string(61, 'a'), "._", "z"), std::string(61, 'a')},
           {StrCat(std::string(62, 'a'), ".", "z"), std::string(62, 'a')},
           {std::string(61, 'a') + "._b", StrCat(std::string(61, 'a'))},
           // Only what is cut loses its end.
           {"reed.", ""},
           {std::string(80, '-'), ""},
           {"a b", ""},
           {"a/b", ""},
           {"", ""},
       }) {
    SCOPED_TRACE(tc.uncut);
    const absl::StatusOr<std::string> name = OperatorName(tc.uncut);
    if (tc.name.empty()) {
      EXPECT_EQ(name.status().code(), absl::StatusCode::kInvalidArgument);
      continue;
    }
    ASSERT_OK(name.status());
    EXPECT_EQ(*name, tc.name);
  }
}

TEST(ComponentLabelTest, HasTheNamespace) {
  EXPECT_EQ(UncutOperatorName("reed", "ops"), "reed.ops");
  EXPECT_EQ(UncutOperatorName("reed", ""), "reed");
  EXPECT_EQ(ComponentLabel("reed.ops"), "operators.coreos.com/reed.ops");
}

}  // namespace
}  // namespace steward::olm
