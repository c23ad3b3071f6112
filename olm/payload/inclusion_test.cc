#include "olm/payload/inclusion.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "base/text/str_cat.h"

namespace steward::olm {
namespace {

PayloadManifest With(const std::string& annotations, const std::string& kind = "ConfigMap") {
  PayloadManifest manifest;
  manifest.gvk = {"", "v1", kind};
  manifest.identity = {"", kind, "n", "a"};
  manifest.object =
      boost::json::parse(StrCat(R"({"metadata":{"annotations":)", annotations, "}}")).as_object();
  return manifest;
}

struct Case {
  const char* name;
  std::string annotations;  // beside the profile's
  ClusterChoices choices;
  bool included;
  std::string kind = "ConfigMap";
};

TEST(InclusionTest, ByWhatTheClusterHasChosen) {
  const ClusterChoices plain = {.profile = "p"};
  for (
      const Case& tc : std::vector<Case>{
          {"the profile", "", plain, true},
          {"another profile", "", {.profile = "q"}, false},
          {"excluded",
           R"("exclude.release.openshift.io/me":"true")",
           {.profile = "p", .exclude_id = "me"},
           false},
          {"excluded for another",
           R"("exclude.release.openshift.io/you":"true")",
           {.profile = "p", .exclude_id = "me"},
           true},
          {"the default feature set", R"("release.openshift.io/feature-set":"Default")", plain,
           true},
          {"another feature set", R"("release.openshift.io/feature-set":"TechPreview,X")", plain,
           false},
          {"one of the feature sets",
           R"("release.openshift.io/feature-set":"A,B")",
           {.profile = "p", .feature_set = "B"},
           true},
          {"sets and gates",
           R"("release.openshift.io/feature-set":"Default","release.openshift.io/feature-gate":"A")",
           {.profile = "p", .gates = {"A"}},
           false},
          {"a gate that is on",
           R"("release.openshift.io/feature-gate":"A")",
           {.profile = "p", .gates = {"A"}},
           true},
          {"a gate that is off",
           R"("release.openshift.io/feature-gate":"A,B")",
           {.profile = "p", .gates = {"A"}},
           false},
          {"a gate that must be off",
           R"("release.openshift.io/feature-gate":"-A")",
           {.profile = "p", .gates = {"A"}},
           false},
          {"one that is", R"("release.openshift.io/feature-gate":"-A")", plain, true},
          {"a capability",
           R"("capability.openshift.io/name":"a+b")",
           {.profile = "p", .known = {"a", "b"}, .enabled = {"a", "b"}},
           true},
          {"one is off",
           R"("capability.openshift.io/name":"a+b")",
           {.profile = "p", .known = {"a", "b"}, .enabled = {"a"}},
           false},
          {"one is unknown",
           R"("capability.openshift.io/name":"c")",
           {.profile = "p", .known = {"a"}, .enabled = {"a"}},
           false},
          {"an override", "", {.profile = "p", .unmanaged = {{"", "ConfigMap", "n", "a"}}}, false},
          {"an override of another",
           "",
           {.profile = "p", .unmanaged = {{"apps", "ConfigMap", "n", "a"}}},
           true},
          {"a major version",
           R"("release.openshift.io/major-version":"4,5")",
           {.profile = "p", .major = 5},
           true,
           "FeatureGate"},
          {"another one",
           R"("release.openshift.io/major-version":"4")",
           {.profile = "p", .major = 5},
           false,
           "FeatureGate"},
          {"one that is excluded",
           R"("release.openshift.io/major-version":"-5")",
           {.profile = "p", .major = 5},
           false,
           "CustomResourceDefinition"},
          {"of other kinds it means nothing",
           R"("release.openshift.io/major-version":"4")",
           {.profile = "p", .major = 5},
           true}}) {
    SCOPED_TRACE(tc.name);
    const std::string annotations = StrCat(R"({"include.release.openshift.io/p":"true")",
                                           tc.annotations.empty() ? "" : ",", tc.annotations, "}");
    const auto reason = ReasonToLeaveOut(With(annotations, tc.kind), tc.choices);
    EXPECT_EQ(!reason, tc.included) << reason.value_or("");
  }
  EXPECT_TRUE(ReasonToLeaveOut(With("{}"), plain));
  EXPECT_TRUE(ReasonToLeaveOut(With(R"({"include.release.openshift.io/p":"True"})"), plain));
}

}  // namespace
}  // namespace steward::olm
