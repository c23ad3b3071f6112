#include "olm/payload/release_metadata.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace steward::olm {
namespace {

TEST(ReleaseMetadataTest, ReadReleaseVersion) {
  struct Case {
    const char* name;
    std::string json;
    std::string version;  // "" = refused
    std::string error;
  };
  for (const Case& tc : std::vector<Case>{
           {"all that there is",
            R"({"kind":"cincinnati-metadata-v0","version":"4.6.1","previous":["4.5.9","4.6.0"],
                "metadata":{"description":""}})",
            "4.6.1", ""},
           {"the version alone", R"({"version":"4.6.0-rc.1"})", "4.6.0-rc.1", ""},
           {"another kind", R"({"kind":"cincinnati-metadata-v1","version":"4.6.1"})", "",
            "its kind is not cincinnati-metadata-v0"},
           {"a kind that is no string", R"({"kind":0,"version":"4.6.1"})", "",
            "its kind is not cincinnati-metadata-v0"},
           {"no version", R"({"kind":"cincinnati-metadata-v0"})", "", "it names no version"},
           {"a version that is no string", R"({"version":4})", "", "it names no version"},
           {"one that is none", R"({"version":"4.6"})", "", "\"4.6\" is no version of a release"},
           {"a list", R"(["4.6.1"])", "", "it is no JSON object"},
       }) {
    SCOPED_TRACE(tc.name);
    const absl::StatusOr<std::string> version = ReadReleaseVersion(tc.json);
    EXPECT_EQ(version.value_or(""), tc.version);
    EXPECT_EQ(version.status().message(), tc.error);
    EXPECT_EQ(absl::IsInvalidArgument(version.status()), !tc.error.empty());
  }
  EXPECT_TRUE(absl::IsInvalidArgument(ReadReleaseVersion("").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ReadReleaseVersion("{").status()));
  EXPECT_TRUE(absl::IsResourceExhausted(
      ReadReleaseVersion(R"({"version":"4.6.1"})" + std::string(kMaxReleaseMetadata, ' '))
          .status()));
}

}  // namespace
}  // namespace steward::olm
