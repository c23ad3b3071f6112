#include "olm/plan/bundle_reference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "base/json/json_text.h"
#include "base/splice/gzip.h"
#include "base/status/matchers.h"

namespace steward::olm {
namespace {

namespace json = boost::json;
using ::testing::HasSubstr;

PlanStep StepWith(std::string manifest) {
  PlanStep step;
  step.gvk = {"", "v1", "ConfigMap"};
  step.name = "settings";
  step.manifest = std::move(manifest);
  return step;
}

TEST(BundleReferenceTest, AnObjectOrAReference) {
  ASSERT_OK_AND_ASSIGN(const StepManifest inlined,
                       ReadStepManifest(StepWith(
                           R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}})")));
  EXPECT_FALSE(inlined.reference);
  EXPECT_EQ(inlined.object.at("kind"), "ConfigMap");
  ASSERT_OK_AND_ASSIGN(
      const StepManifest there,
      ReadStepManifest(StepWith(R"({"kind":"ConfigMap","name":"b","namespace":"olm",)"
                                R"("replaces":"reed.v0","properties":"{}"})")));
  EXPECT_EQ(there.reference, (BundleReference{{"olm", "b"}, "reed.v0", "{}"}));
  for (const char* bad : {"", "{", "[]", R"({"kind":"ConfigMap","name":"b"})"}) {
    EXPECT_TRUE(absl::IsInvalidArgument(ReadStepManifest(StepWith(bad)).status())) << bad;
  }
}

TEST(BundleReferenceTest, ABundlesConfigMap) {
  const std::string zipped = Gzip("kind: C", 6);
  const json::object config = {{"data", {{"b.yaml", "kind: B"}, {"a.json", R"({"kind":"A"})"}}},
                               {"binaryData",
                                {{"c", absl::Base64Escape(zipped)},
                                 // OLM's own: base64 in base64.
                                 {"d", absl::Base64Escape(absl::Base64Escape(Gzip("kind: D", 6)))},
                                 {"e", absl::Base64Escape("kind: E")}}}};
  ASSERT_OK_AND_ASSIGN(const std::vector<json::object> bundle, ReadBundle(config));
  std::string kinds;
  for (const json::object& manifest : bundle) kinds += manifest.at("kind").as_string().c_str();
  EXPECT_EQ(kinds, "ABCDE");
}

TEST(BundleReferenceTest, ABundleThatCannotBeReadNamesTheKey) {
  const std::string bomb = Gzip(std::string(kMaxUnpacked + 1, ' '), 6);
  for (const json::object& config : std::vector<json::object>{
           {{"data", {{"bad.yaml", 1}}}},
           {{"binaryData", {{"bad.yaml", "%"}}}},
           {{"binaryData", {{"bad.yaml", absl::Base64Escape(Gzip("a", 6).substr(0, 12))}}}},
           {{"binaryData", {{"bad.yaml", absl::Base64Escape(bomb)}}}}}) {
    const auto bundle = ReadBundle(config);
    EXPECT_FALSE(bundle.ok());
    EXPECT_THAT(std::string(bundle.status().message()), HasSubstr("bad.yaml"));
  }
}

// A bundle's ConfigMap holds its metadata/, too.
TEST(BundleReferenceTest, WhatIsNoManifestIsLeftOut) {
  ASSERT_OK_AND_ASSIGN(
      const std::vector<json::object> bundle,
      ReadBundle({{"data",
                   {{"README.md", "# A bundle"},
                    {"bad.yaml", "a: ["},
                    {"dependencies.yaml", "dependencies: []"},
                    {"one.yaml", "{kind: Service, apiVersion: v1, apiVersion: v1}"}}}}));
  ASSERT_EQ(bundle.size(), 1U);
  EXPECT_EQ(bundle[0].at("kind"), "Service");
}

TEST(BundleReferenceTest, AManifestIsFound) {
  const std::vector<json::object> bundle = {
      json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"other"}})")
          .as_object(),
      json::parse(R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"}})")
          .as_object(),
      json::parse(R"({"apiVersion":"operators.coreos.com/v1alpha1","kind":)"
                  R"("ClusterServiceVersion","metadata":{"name":"reed.v1"}})")
          .as_object()};
  const BundleReference reference = {{"olm", "b"}, "reed.v0", "{}"};
  ASSERT_OK_AND_ASSIGN(const json::object found, FindManifest(bundle, StepWith(""), reference));
  EXPECT_EQ(found, bundle[1]);
  PlanStep csv;
  csv.gvk = {"operators.coreos.com", "v1alpha1", "ClusterServiceVersion"};
  csv.name = "reed.v1";
  ASSERT_OK_AND_ASSIGN(const json::object operator_, FindManifest(bundle, csv, reference));
  EXPECT_EQ(operator_.at("spec").at("replaces"), "reed.v0");
  EXPECT_EQ(operator_.at("metadata").at("annotations").at("operatorframework.io/properties"), "{}");
  csv.name = "reed.v2";
  EXPECT_TRUE(absl::IsNotFound(FindManifest(bundle, csv, reference).status()));
}

TEST(BundleReferenceTest, TheLimitIsThatOfAllTogether) {
  const std::string half = "kind: B\nx: " + std::string(kMaxUnpacked / 2, 'x');
  json::object data = {{"a", half}};
  EXPECT_OK(ReadBundle({{"data", data}}));
  data["b"] = half;
  EXPECT_THAT(ReadBundle({{"data", data}}),
              StatusIs(absl::StatusCode::kResourceExhausted, HasSubstr("longer than 16777216")));
}

TEST(BundleReferenceTest, AManifestIsFoundByItsVersionAndAsTheKindItHasInTheCluster) {
  const auto find = [](const kube::GroupVersionKind& gvk) {
    PlanStep step;
    step.gvk = gvk;
    step.name = "s";
    return FindManifest(
        {json::parse(R"({"apiVersion":"a.b/v1","kind":"Secret","metadata":{"name":"s"}})")
             .as_object(),
         json::parse(R"({"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}})").as_object()},
        step, {});
  };
  for (const char* kind : {"Secret", "BundleSecret"}) {
    ASSERT_OK_AND_ASSIGN(const json::object found, find({"", "v1", kind}));
    EXPECT_EQ(found.at("apiVersion"), "v1") << kind;
  }
  EXPECT_OK(find({"", "v1beta1", "Secret"}));  // OLM's client has one version
  EXPECT_OK(find({"a.b", "v2", "Secret"}));
  EXPECT_THAT(find({"a.b", "v2", "Other"}),
              StatusIs(absl::StatusCode::kNotFound, HasSubstr("it has no Other s of a.b/v2")));
}

}  // namespace
}  // namespace steward::olm
