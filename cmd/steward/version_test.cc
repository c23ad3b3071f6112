#include "cmd/steward/version.h"

#include <gtest/gtest.h>

#include <string>

namespace steward {
namespace {

TEST(VersionTest, IsWhatTheStampSays) {
  const std::string commit = "0be96ef0123456789abcdef0123456789abcdef0";
  const struct {
    const char* name;
    BuildStamp stamp;
    std::string version;
    std::string text;
  } kRows[] = {
      {"without git",
       {},
       "v0.1.0",
       "steward v0.1.0, built without git: of which commit is not known\n"},
      {"without a tag",
       {"", commit, "clean", "2026-11-22T10:00:00Z"},
       "v0.1.0+g0be96ef01234",
       "steward v0.1.0+g0be96ef01234, commit " + commit + " (clean) of 2026-11-22T10:00:00Z\n"},
      {"changed",
       {"", commit, "dirty", "2026-11-22T10:00:00Z"},
       "v0.1.0+g0be96ef01234-dirty",
       "steward v0.1.0+g0be96ef01234-dirty, commit " + commit +
           " (dirty) of 2026-11-22T10:00:00Z\n"},
      {"after a tag",
       {"v0.2.0-3-g0be96ef", commit, "clean", "2026-11-22T10:00:00Z"},
       "v0.2.0-3-g0be96ef",
       "steward v0.2.0-3-g0be96ef, commit " + commit + " (clean) of 2026-11-22T10:00:00Z\n"},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const discovery::VersionInfo version = VersionOf(row.stamp);
    EXPECT_EQ(version.major, "0");
    EXPECT_EQ(version.git_version, row.version);
    EXPECT_EQ(version.git_commit, row.stamp.commit);
    EXPECT_EQ(version.git_tree_state, row.stamp.tree_state);
    EXPECT_EQ(version.build_date, row.stamp.commit_date);
    EXPECT_EQ(VersionText(version), row.text);
  }
}

}  // namespace
}  // namespace steward
