#include "olm/payload/version_range.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "base/status/matchers.h"
#include "olm/payload/release_version.h"

namespace steward::olm {
namespace {

struct Row {
  const char* range;
  const char* inside;   // versions between blanks
  const char* outside;  // likewise
};

// The results are github.com/blang/semver's, except the last, which it makes a range without any
// version.
TEST(VersionRangeTest, Contains) {
  for (const Row& row : std::vector<Row>{{"1.2.3", "1.2.3 1.2.3+b", "1.2.2 1.2.4 1.2.3-rc.1"},
                                         {"=1.2.3", "1.2.3", "1.2.4"},
                                         {">=1.0.0", "1.0.0 2.0.0", "0.9.9 1.0.0-rc.1"},
                                         {">= 1.0.0", "1.0.0 2.0.0", "0.9.9"},
                                         {">1.0.0", "1.0.1", "1.0.0"},
                                         {"<=1.0.0", "1.0.0 0.1.0", "1.0.1"},
                                         {"<1.0.0", "0.9.9 1.0.0-rc.1", "1.0.0"},
                                         {"!=1.0.0", "1.0.1 0.9.0", "1.0.0"},
                                         {"!1.0.0", "1.0.1", "1.0.0"},
                                         {">=1.0.0 <2.0.0", "1.0.0 1.9.9", "0.9.9 2.0.0"},
                                         {"<1.0.0 || >=2.0.0", "0.5.0 2.0.0", "1.0.0 1.9.9"},
                                         {"1.x", "1.0.0 1.9.9", "0.9.9 2.0.0"},
                                         {"1.2.x", "1.2.0 1.2.9", "1.1.9 1.3.0"},
                                         {">1.2.x", "1.3.0", "1.2.9"},
                                         {">=1.2.x", "1.2.0", "1.1.9"},
                                         {"<1.2.x", "1.1.9", "1.2.0"},
                                         {"<=1.2.x", "1.2.9", "1.3.0"},
                                         {"!=1.2.x", "1.3.0 1.1.0", "1.2.0 1.2.5"}}) {
    ASSERT_OK_AND_ASSIGN(const VersionRange range, VersionRange::Parse(row.range));
    for (const bool inside : {true, false}) {
      const std::vector<std::string> versions =
          absl::StrSplit(inside ? row.inside : row.outside, ' ');
      for (const std::string& version : versions) {
        EXPECT_EQ(range.Contains(*ReleaseVersion::Parse(version)), inside)
            << row.range << " and " << version;
      }
    }
  }
}

TEST(VersionRangeTest, Refused) {
  for (const char* text : {"", " ", "||", "1", "x", ">=", ">=1", "one", "1.0.0 ||", "~1.0.0",
                           "^1.0.0", ">>1.0.0", ">=1.0.0,<2.0.0"}) {
    EXPECT_FALSE(VersionRange::Parse(text).ok()) << text;
  }
  EXPECT_FALSE(VersionRange::Parse(std::string(10000, '1')).ok());
}

}  // namespace
}  // namespace steward::olm
