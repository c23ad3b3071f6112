#include "olm/plan/declared_optional.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/object.hpp>
#include <string>

#include "absl/status/status.h"
#include "base/status/matchers.h"

namespace steward::olm {
namespace {

using ::testing::HasSubstr;

constexpr char kMonitor[] =
    R"({"properties":[{"type":"olm.manifests.optional","value":{"manifests":[)"
    R"({"group":"monitoring.coreos.com","kind":"ServiceMonitor","namespace":"n","name":"m"}]}}]})";
const ManifestIdentity& Monitor() {
  static const auto& monitor =
      *new ManifestIdentity{"monitoring.coreos.com", "ServiceMonitor", "n", "m"};
  return monitor;
}

PlanStep StepOf(const char* group, const char* kind) {
  PlanStep step;
  step.resolving = "reed.v1";
  step.gvk = {group, "v1", kind};
  return step;
}
boost::json::object Annotated(const std::string& properties) {
  return {{"metadata", {{"annotations", {{"operatorframework.io/properties", properties}}}}}};
}

TEST(DeclaredOptionalTest, ReadsLookupsReferencesAndAnnotationsOfOperators) {
  DeclaredOptional lookups;
  ASSERT_OK(lookups.AddLookups({{"reed.v1", kMonitor, false}, {"rush.v1", "", false}}));
  EXPECT_TRUE(lookups.Contains("reed.v1", Monitor()));
  EXPECT_FALSE(lookups.Contains("rush.v1", Monitor())) << "of another bundle";

  DeclaredOptional reference;
  ASSERT_OK(reference.AddStep(StepOf("", "ConfigMap"), {}, kMonitor));
  ASSERT_OK(reference.AddStep(StepOf("", "ConfigMap"), {}, kMonitor));
  EXPECT_TRUE(reference.Contains("reed.v1", Monitor()));

  DeclaredOptional csv;
  ASSERT_OK(csv.AddStep(StepOf("", "ConfigMap"), Annotated(kMonitor), ""));
  EXPECT_FALSE(csv.Contains("reed.v1", Monitor())) << "annotations of others mean nothing";
  ASSERT_OK(csv.AddStep(StepOf("operators.coreos.com", "ClusterServiceVersion"),
                        Annotated(kMonitor), ""));
  EXPECT_TRUE(csv.Contains("reed.v1", Monitor()));
}

TEST(DeclaredOptionalTest, NamespacesCountWhereTheyAreKnown) {
  DeclaredOptional declared;
  ASSERT_OK(declared.AddLookups({{"reed.v1", kMonitor, false}}));
  ManifestIdentity elsewhere = Monitor();
  elsewhere.ns = "";
  EXPECT_FALSE(declared.Contains("reed.v1", elsewhere));
  EXPECT_TRUE(declared.ContainsInAnyNamespace("reed.v1", elsewhere));
  elsewhere.name = "k";
  EXPECT_FALSE(declared.ContainsInAnyNamespace("reed.v1", elsewhere));
  EXPECT_FALSE(declared.ContainsInAnyNamespace("rush.v1", Monitor()));
}

TEST(DeclaredOptionalTest, WhatCannotBeReadIsAnError) {
  DeclaredOptional declared;
  EXPECT_THAT(declared.AddLookups({{"reed.v1", "[]", false}}),
              StatusIs(absl::StatusCode::kInvalidArgument, HasSubstr("the bundle reed.v1")));
  EXPECT_FALSE(declared.AddStep(StepOf("", "ConfigMap"), {}, "{").ok());
}

}  // namespace
}  // namespace steward::olm
