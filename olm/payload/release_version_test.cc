#include "olm/payload/release_version.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/status/matchers.h"

namespace steward::olm {
namespace {

ReleaseVersion Version(const std::string& text) {
  const absl::StatusOr<ReleaseVersion> version = ReleaseVersion::Parse(text);
  EXPECT_OK(version.status());
  return version.value_or(ReleaseVersion{});
}

TEST(ReleaseVersionTest, Parse) {
  EXPECT_EQ(Version("4.5.0"), (ReleaseVersion{4, 5, 0, ""}));
  EXPECT_EQ(Version("4.16.0-rc.1"), (ReleaseVersion{4, 16, 0, "-rc.1"}));
  EXPECT_EQ(Version("0.0.1+a-b.007"), (ReleaseVersion{0, 0, 1, "+a-b.007"}));
  EXPECT_EQ(Version("999999999.0.0-0.nightly-2024-01-01-000000+x"),
            (ReleaseVersion{999999999, 0, 0, "-0.nightly-2024-01-01-000000+x"}));
  for (const char* text : {"4.5.0", "4.16.0-rc.1", "0.0.1--", "1.2.3-a+b"}) {
    EXPECT_EQ(Version(text).ToString(), text);
  }
}

TEST(ReleaseVersionTest, ParseRefuses) {
  for (const std::string& text : std::vector<std::string>{"",
                                                          "4",
                                                          "4.5",
                                                          "4.5.",
                                                          "4.5.0.1",
                                                          "v4.5.0",
                                                          " 4.5.0",
                                                          "4.5.0 ",
                                                          "4.05.0",
                                                          "-1.0.0",
                                                          "4.5.0-",
                                                          "4.5.0-a..b",
                                                          "4.5.0-a.",
                                                          "4.5.0-01",
                                                          "4.5.0+",
                                                          "4.5.0-+b",
                                                          "4.5.0+a+b",
                                                          "4.5.0-a_b",
                                                          "4.5.0rc",
                                                          "1000000000.0.0",
                                                          "4.5.0-" + std::string(300, 'a')}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ReleaseVersion::Parse(text).status())) << text;
  }
  EXPECT_EQ(ReleaseVersion::Parse("a\n").status().message(), "\"a\\n\" is no version of a release");
}

TEST(ReleaseVersionTest, LevelsFollowTheOrder) {
  // Each is older than the next.
  const std::vector<std::string> order = {
      "4.5.9",         "4.6.0-0.x",     "4.6.0-2",         "4.6.0-10",         "4.6.0-100000000000",
      "4.6.0-alpha",   "4.6.0-alpha.1", "4.6.0-alpha.1.0", "4.6.0-alpha.beta", "4.6.0-beta.2",
      "4.6.0-beta.11", "4.6.0",         "4.6.1",           "4.10.0",           "5.0.0"};
  for (size_t i = 0; i < order.size(); ++i) {
    const ReleaseVersion from = Version(order[i]);
    for (size_t j = 0; j < order.size(); ++j) {
      const ReleaseVersion to = Version(order[j]);
      const bool same_minor = from.major == to.major && from.minor == to.minor;
      UpdateLevel expected = same_minor ? UpdateLevel::kPatch : UpdateLevel::kMinor;
      if (i == j) expected = UpdateLevel::kNone;
      if (i > j) expected = UpdateLevel::kDowngrade;
      EXPECT_EQ(LevelOf(from, to), expected) << order[i] << " " << order[j];
    }
  }
}

TEST(ReleaseVersionTest, Levels) {
  struct Case {
    const char* from;
    const char* to;
    UpdateLevel level;
  };
  for (const Case& tc : std::vector<Case>{
           {"4.5.1", "4.5.2", UpdateLevel::kPatch},
           {"4.5.1", "4.5.1+b", UpdateLevel::kNone},
           {"4.5.1-rc.0+a", "4.5.1-rc.0+b", UpdateLevel::kNone},
           {"4.6.0-rc.0", "4.6.0", UpdateLevel::kPatch},
           {"4.5.9", "4.6.0-rc.0", UpdateLevel::kMinor},
           {"4.5.9", "4.7.0", UpdateLevel::kMinor},
           {"4.5.9", "5.5.9", UpdateLevel::kMinor},
           {"4.6.0", "4.5.9", UpdateLevel::kDowngrade},
           {"4.6.0", "4.6.0-rc.0", UpdateLevel::kDowngrade},
       }) {
    EXPECT_EQ(LevelOf(Version(tc.from), Version(tc.to)), tc.level) << tc.from << " " << tc.to;
  }
}

TEST(ReleaseVersionTest, Leniently) {
  struct Row {
    const char* text;
    const char* version;  // "" = refused
  };
  for (const Row& row : std::vector<Row>{{"1.2.3", "1.2.3"},
                                         {" v1.2.3-rc.1+b ", "1.2.3-rc.1+b"},
                                         {"1", "1.0.0"},
                                         {"1.2", "1.2.0"},
                                         {"01.002.03-a", "1.2.3-a"},
                                         {"0.0.0", "0.0.0"},
                                         {"", ""},
                                         {"one", ""},
                                         {"1.2-rc", ""},
                                         {"1.2.3.4", ""}}) {
    const absl::StatusOr<ReleaseVersion> version = ReleaseVersion::ParseLeniently(row.text);
    EXPECT_EQ(version.ok() ? version->ToString() : "", row.version) << row.text;
  }
}

}  // namespace
}  // namespace steward::olm
