#include "olm/payload/inclusion.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <set>
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
           {.profile = "p", .capabilities = Capabilities{{"a", "b"}, {"a", "b"}}},
           true},
          {"one is off",
           R"("capability.openshift.io/name":"a+b")",
           {.profile = "p", .capabilities = Capabilities{{"a", "b"}, {"a"}}},
           false},
          {"one is unknown",
           R"("capability.openshift.io/name":"c")",
           {.profile = "p", .capabilities = Capabilities{{"a"}, {"a"}}},
           false},
          {"one that nothing speaks of", R"("capability.openshift.io/name":"c")", plain, true},
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

TEST(InclusionTest, NothingIsDeletedBecauseOfAGateThatIsNotKnown) {
  PayloadManifest manifest = With(R"({"include.release.openshift.io/p":"true",)"
                                  R"("release.openshift.io/feature-gate":"-G"})");
  ClusterChoices choices = {.profile = "p"};
  choices.gates_known = false;
  EXPECT_FALSE(ReasonToLeaveOut(manifest, choices));
  manifest.deletes = true;
  EXPECT_TRUE(ReasonToLeaveOut(manifest, choices));
  choices.gates_known = true;
  EXPECT_FALSE(ReasonToLeaveOut(manifest, choices));
}

TEST(InclusionTest, WhatManifestsName) {
  const std::vector<PayloadManifest> manifests = {
      With(R"({"include.release.openshift.io/p":"true","include.release.openshift.io/q":"no",)"
           R"("release.openshift.io/feature-set":"A,B","capability.openshift.io/name":"c+d"})"),
      With(R"({"release.openshift.io/feature-gate":"G,-H,I"})")};
  const NamedChoices named = ChoicesNamedBy(manifests);
  EXPECT_EQ(named.profiles, (std::set<std::string>{"p", "q"}));
  EXPECT_EQ(named.feature_sets, (std::set<std::string>{"A", "B"}));
  EXPECT_EQ(named.capabilities, (std::set<std::string>{"c", "d"}));
  EXPECT_EQ(GatesNeededBy(manifests[1]).on, (std::set<std::string>{"G", "I"}));
  EXPECT_EQ(GatesNeededBy(manifests[1]).off, (std::set<std::string>{"H"}));
}

}  // namespace
}  // namespace steward::olm
