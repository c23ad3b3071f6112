#include "kube/meta/admission_policy.h"

#include <gtest/gtest.h>

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>
#include <string>

namespace steward::kube {
namespace {

namespace json = boost::json;

TEST(AdmissionPolicyTest, WhatIsWeak) {
  const struct {
    std::string policy;
    std::string why;
  } rows[] = {
      {R"({"spec":{"failurePolicy":"Fail","validations":[{}]}})", ""},
      {R"({"spec":{"validations":[{}]}})", ""},
      {R"({"spec":{"failurePolicy":"Ignore","validations":[{}]}})", "does not fail closed"},
      {R"({"spec":{"failurePolicy":"Fail","validations":[]}})", "validates nothing"},
      {R"({"spec":{"failurePolicy":"Fail"}})", "validates nothing"},
      {R"({})", "validates nothing"},
      {R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},"spec":{"validations":[{}]}})",
       "is being deleted"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(WhyPolicyIsWeak(json::parse(row.policy).as_object()), row.why) << row.policy;
  }
}

TEST(AdmissionPolicyTest, WhatDenies) {
  const struct {
    std::string binding;
    bool denies;
  } rows[] = {
      {R"({"spec":{"policyName":"p","validationActions":["Deny"]}})", true},
      {R"({"spec":{"policyName":"p","validationActions":["Audit","Deny"]}})", true},
      {R"({"spec":{"policyName":"p","validationActions":["Deny"],"matchResources":{}}})", true},
      {R"({"spec":{"policyName":"q","validationActions":["Deny"]}})", false},
      {R"({"spec":{"policyName":"p","validationActions":["Warn"]}})", false},
      {R"({"spec":{"policyName":"p","validationActions":[7]}})", false},
      {R"({"spec":{"policyName":"p"}})", false},
      {R"({"spec":{"policyName":"p","validationActions":["Deny"],"paramRef":{"name":"a"}}})",
       false},
      {R"({"spec":{"policyName":"p","validationActions":["Deny"],
           "matchResources":{"namespaceSelector":{"matchLabels":{"a":"b"}}}}})",
       false},
      {R"({"metadata":{"deletionTimestamp":"2026-01-01T00:00:00Z"},
           "spec":{"policyName":"p","validationActions":["Deny"]}})",
       false},
      {R"({})", false},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(DeniesEverywhere(json::parse(row.binding).as_object(), "p"), row.denies)
        << row.binding;
  }
}

TEST(AdmissionPolicyTest, Parameters) {
  const json::value with = json::parse(R"({"spec":{"paramKind":{"kind":"Lamp"}}})");
  const json::value without = json::parse(R"({"spec":{}})");
  EXPECT_TRUE(TakesParameters(with.as_object()));
  EXPECT_FALSE(TakesParameters(without.as_object()));
  const json::value binding = json::parse(
      R"({"spec":{"policyName":"p","validationActions":["Deny"],"paramRef":{"name":"a"}}})");
  EXPECT_TRUE(DeniesEverywhere(binding.as_object(), "p", /*parameters=*/true));
  EXPECT_FALSE(DeniesEverywhere(binding.as_object(), "p"));
}

}  // namespace
}  // namespace steward::kube
