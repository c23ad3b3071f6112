#include "olm/plan/optional_manifests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "base/status/matchers.h"
#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

using ::testing::HasSubstr;

std::string Properties(const std::string& manifests) {
  return StrCat(R"({"properties":[{"type":"olm.package","value":{}},{"type":)",
                R"("olm.manifests.optional","value":{"manifests":[)", manifests, "]}}]}");
}

ManifestIdentity Identity(const std::string& json) {
  return IdentityOf(boost::json::parse(json).as_object());
}

struct MatchCase {
  const char* name;
  const char* entry;
  const char* manifest;
  bool matches;
};

TEST(OptionalManifestsTest, R_002_11_12_13_14_Identity) {
  constexpr char kMonitor[] =
      R"({"apiVersion":"m.io/v1","kind":"Monitor","metadata":{"name":"a"}})";
  for (const MatchCase& tc : std::vector<MatchCase>{
           {"all the same", R"({"group":"m.io","kind":"Monitor","name":"a"})", kMonitor, true},
           {"a group with its version", R"({"group":"m.io/v1","kind":"Monitor","name":"a"})",
            kMonitor, true},
           {"another version", R"({"group":"m.io/v9","kind":"Monitor","name":"a"})", kMonitor,
            true},
           {"null namespace", R"({"group":"m.io","kind":"Monitor","name":"a","namespace":null})",
            kMonitor, true},
           {"a namespace that the manifest does not say",
            R"({"group":"m.io","kind":"Monitor","name":"a","namespace":"x"})", kMonitor, false},
           {"no namespace where the manifest says one",
            R"({"group":"m.io","kind":"Monitor","name":"a"})",
            R"({"apiVersion":"m.io/v1","kind":"Monitor","metadata":{"name":"a","namespace":"x"}})",
            false},
           {"the same namespace", R"({"group":"m.io","kind":"Monitor","name":"a","namespace":"x"})",
            R"({"apiVersion":"m.io/v1","kind":"Monitor","metadata":{"name":"a","namespace":"x"}})",
            true},
           {"another name", R"({"group":"m.io","kind":"Monitor","name":"b"})", kMonitor, false},
           {"another kind", R"({"group":"m.io","kind":"monitor","name":"a"})", kMonitor, false},
           {"another group", R"({"group":"n.io","kind":"Monitor","name":"a"})", kMonitor, false},
           {"the core group", R"({"kind":"Pod","name":"a"})",
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"}})", true},
           {"a generated name", R"({"kind":"Pod","name":"a-"})",
            R"({"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"a-"}})", true}}) {
    SCOPED_TRACE(tc.name);
    OptionalManifests optional;
    ASSERT_OK(optional.AddText(Properties(tc.entry)));
    EXPECT_EQ(optional.Contains(Identity(tc.manifest)), tc.matches);
  }
}

TEST(OptionalManifestsTest, R_002_68_AUnionOfAll) {
  OptionalManifests optional;
  ASSERT_OK(optional.AddText(Properties(R"({"kind":"A","name":"a"})")));
  ASSERT_OK(optional.AddText(
      R"({"properties":[{"type":"olm.manifests.optional","value":{"manifests":[]}},{"type":)"
      R"("olm.manifests.optional","value":{"manifests":[{"kind":"B","name":"b"}]}}]})"));
  EXPECT_EQ(optional.entries().size(), 2);
  for (const char* nothing : {"", "{}", R"({"properties":null})", R"({"properties":[]})",
                              R"({"properties":[{"type":"olm.gvk","value":3}]})"}) {
    EXPECT_OK(optional.AddText(nothing));
  }
  EXPECT_EQ(optional.entries().size(), 2);
}

TEST(OptionalManifestsTest, R_002_68_MalformedIsRefusedWithItsPath) {
  for (const auto& [text, path] : std::vector<std::pair<std::string, std::string>>{
           {"[", ""},
           {"[]", "properties: must be in an object"},
           {R"({"properties":{}})", "properties: must be a list"},
           {R"({"properties":[1]})", "properties[0]: must be an object"},
           {R"({"properties":[{"value":1}]})", "properties[0].type"},
           {R"({"properties":[{"type":"olm.manifests.optional"}]})", "properties[0].value"},
           {R"({"properties":[{"type":"olm.manifests.optional","value":{"manifests":{}}}]})",
            "properties[0].value.manifests: must be a list"},
           {Properties("1"), "properties[1].value.manifests[0]: must be an object"},
           {Properties(R"({"kind":"A","name":"a"},{"kind":"","name":"b"})"),
            "properties[1].value.manifests[1].kind: must be a string that is not empty"},
           {Properties(R"({"kind":"A"})"), "properties[1].value.manifests[0].name"},
           {Properties(R"({"kind":"A","name":"a","group":1})"),
            "properties[1].value.manifests[0].group: must be a string"},
           {Properties(R"({"kind":"A","name":"a","namespace":1})"),
            "properties[1].value.manifests[0].namespace"}}) {
    SCOPED_TRACE(text);
    OptionalManifests optional;
    const absl::Status refused = optional.AddText(text);
    EXPECT_TRUE(absl::IsInvalidArgument(refused));
    EXPECT_THAT(std::string(refused.message()), HasSubstr(path));
    EXPECT_TRUE(optional.empty()) << "nothing of it counts";
  }
}

TEST(OptionalManifestsTest, TooMany) {
  std::string entries;
  for (size_t i = 0; i <= OptionalManifests::kMaxEntries; ++i) {
    StrAppend(&entries, i == 0 ? "" : ",", R"({"kind":"K","name":"n)", i, "\"}");
  }
  OptionalManifests optional;
  EXPECT_THAT(optional.AddText(Properties(entries)),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("more than 10000")));
  EXPECT_TRUE(optional.empty());
}

}  // namespace
}  // namespace steward::olm
