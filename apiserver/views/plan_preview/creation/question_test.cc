#include "apiserver/views/plan_preview/creation/question.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/json/json_text.h"
#include "base/status/matchers.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "olm/preview/preview.h"

namespace steward::views {
namespace {

namespace json = boost::json;
using rest::FieldValidation;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

absl::StatusOr<Question> Parse(const std::string& body,
                               FieldValidation validation = FieldValidation::kWarn) {
  return ParseQuestion("ops", ParseJson(body)->as_object(), validation);
}
std::string WithSpec(const std::string& spec) { return StrCat(R"({"spec":)", spec, "}"); }

TEST(QuestionTest, OfAPlan) {
  const auto question =
      Parse(R"({"apiVersion":"views.operators.coreos.com/v1alpha1","kind":"PlanPreview",)"
            R"("metadata":{"uid":"u","resourceVersion":"7","name":"mine","namespace":"ops",)"
            R"("labels":{"a":"b"},"annotations":{"c":"d e"}},)"
            R"("spec":{"installPlan":{"name":"install-a"},"bundle":null},"status":{"x":1}})",
            FieldValidation::kStrict);
  ASSERT_OK(question);
  EXPECT_EQ(std::get<PlanQuestion>(question->asked).name, "install-a");
  EXPECT_EQ(Serialize(question->metadata),
            R"({"name":"mine","namespace":"ops","creationTimestamp":null,"labels":{"a":"b"},)"
            R"("annotations":{"c":"d e"}})");
  EXPECT_EQ(Serialize(question->spec), R"({"installPlan":{"name":"install-a"},"bundle":null})");
  EXPECT_THAT(question->warnings, IsEmpty());
}

TEST(QuestionTest, OfABundle) {
  const auto question =
      Parse(WithSpec(R"({"bundle":{"manifests":[{"kind":"A"},{"kind":"B","x":[1]}],)"
                     R"("properties":[{"type":"olm.gvk","value":{"kind":"C"}}]}})"));
  ASSERT_OK(question);
  const auto& bundle = std::get<upstream::PreviewedBundle>(question->asked);
  EXPECT_THAT(bundle.manifests, ElementsAre(R"({"kind":"A"})", R"({"kind":"B","x":[1]})"));
  EXPECT_EQ(bundle.properties, R"([{"type":"olm.gvk","value":{"kind":"C"}}])");
}

TEST(QuestionTest, OfAnUninstallAndOfCopies) {
  const struct {
    std::string spec;
    std::optional<bool> cleanup;
  } uninstalls[] = {
      {R"({"uninstall":{"clusterServiceVersion":"w.v1"}})", std::nullopt},
      {R"({"uninstall":{"clusterServiceVersion":"w.v1","cleanup":true}})", true},
      {R"({"uninstall":{"clusterServiceVersion":"w.v1","cleanup":false}})", false},
  };
  for (const auto& row : uninstalls) {
    SCOPED_TRACE(row.spec);
    const auto question = Parse(WithSpec(row.spec));
    ASSERT_OK(question);
    EXPECT_EQ(std::get<UninstallQuestion>(question->asked).csv, "w.v1");
    EXPECT_EQ(std::get<UninstallQuestion>(question->asked).cleanup, row.cleanup);
  }
  for (const bool enabled : {true, false}) {
    const auto question =
        Parse(WithSpec(StrCat(R"({"copiedCSVs":{"enabled":)", enabled ? "true}}" : "false}}")));
    ASSERT_OK(question);
    EXPECT_EQ(std::get<CopiesQuestion>(question->asked).enabled, enabled);
  }
}

TEST(QuestionTest, WrongFieldsAreNamed) {
  const std::string copies = R"("spec":{"copiedCSVs":{"enabled":true}}})";
  const struct {
    std::string body;
    std::vector<std::string> causes;  // "field reason"
  } rows[] = {
      {"{}", {"spec FieldValueRequired"}},
      {WithSpec("null"), {"spec FieldValueRequired"}},
      {WithSpec("3"), {"spec FieldValueTypeInvalid", "spec FieldValueRequired"}},
      {WithSpec("{}"), {"spec FieldValueRequired"}},
      {WithSpec(R"({"installPlan":{},"uninstall":{},"copiedCSVs":{}})"),
       {"spec.uninstall FieldValueForbidden", "spec.copiedCSVs FieldValueForbidden"}},
      {WithSpec(R"({"installPlan":[]})"), {"spec.installPlan FieldValueTypeInvalid"}},
      {WithSpec(R"({"installPlan":{}})"), {"spec.installPlan.name FieldValueRequired"}},
      {WithSpec(R"({"installPlan":{"name":"../x"}})"), {"spec.installPlan.name FieldValueInvalid"}},
      {WithSpec(R"({"installPlan":{"name":7}})"), {"spec.installPlan.name FieldValueTypeInvalid"}},
      {WithSpec(R"({"bundle":{}})"), {"spec.bundle.manifests FieldValueRequired"}},
      {WithSpec(R"({"bundle":{"manifests":[]}})"), {"spec.bundle.manifests FieldValueRequired"}},
      {WithSpec(R"({"bundle":{"manifests":[{},"x",null]}})"),
       {"spec.bundle.manifests[1] FieldValueTypeInvalid",
        "spec.bundle.manifests[2] FieldValueTypeInvalid"}},
      {WithSpec(R"({"bundle":{"manifests":[{}],"properties":[1,{},{"type":"a","value":null}]}})"),
       {"spec.bundle.properties[0] FieldValueTypeInvalid",
        "spec.bundle.properties[1].type FieldValueRequired",
        "spec.bundle.properties[1].value FieldValueRequired"}},
      {WithSpec(R"({"uninstall":{"cleanup":"yes"}})"),
       {"spec.uninstall.clusterServiceVersion FieldValueRequired",
        "spec.uninstall.cleanup FieldValueTypeInvalid"}},
      {WithSpec(R"({"copiedCSVs":{}})"), {"spec.copiedCSVs.enabled FieldValueRequired"}},
      {WithSpec(R"({"copiedCSVs":{"enabled":1}})"),
       {"spec.copiedCSVs.enabled FieldValueTypeInvalid"}},
      {R"({"metadata":{"name":"A"},)" + copies, {"metadata.name FieldValueInvalid"}},
      {R"({"metadata":{"generateName":"a_"},)" + copies,
       {"metadata.generateName FieldValueInvalid"}},
      {R"({"metadata":{"labels":{"a/b/c":"d"}},)" + copies, {"metadata.labels FieldValueInvalid"}},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.body);
    const kube::Status status = kube::FromStatus(Parse(row.body).status());
    EXPECT_EQ(status.code, 422);
    EXPECT_EQ(status.kind, "PlanPreview");
    std::vector<std::string> causes;
    for (const kube::StatusCause& cause : status.causes) {
      causes.push_back(StrCat(cause.field, " ", cause.reason));
    }
    EXPECT_EQ(causes, row.causes);
  }
}

TEST(QuestionTest, WhatIsNoPlanPreviewOfThisNamespace) {
  const struct {
    std::string body;
    std::string part;
  } rows[] = {
      {R"({"apiVersion":"v1"})", "does not match the expected API version"},
      {R"({"kind":"Pod"})", "cannot be handled as a PlanPreview"},
      {R"({"metadata":{"namespace":"other"}})", "does not match the namespace sent"},
      {R"({"metadata":3})", "metadata must be an object"},
      {R"({"metadata":{"name":3}})", "metadata.name must be a string"},
      {R"({"metadata":{"labels":{"a":1}}})", "metadata.labels must be an object of strings"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.body);
    const kube::Status status = kube::FromStatus(Parse(row.body).status());
    EXPECT_EQ(status.code, 400);
    EXPECT_THAT(status.message, HasSubstr(row.part));
  }
}

TEST(QuestionTest, UnknownFields) {
  const std::string body =
      R"({"a\"\u0001":1,"metadata":{"b":1},"spec":{"c":1,"copiedCSVs":{"enabled":true,"d":1}}})";
  const auto warned = Parse(body, FieldValidation::kWarn);
  ASSERT_OK(warned);
  EXPECT_THAT(warned->warnings,
              ElementsAre(R"(unknown field "a\"\001")", R"(unknown field "metadata.b")",
                          R"(unknown field "spec.c")", R"(unknown field "spec.copiedCSVs.d")"));
  EXPECT_EQ(Serialize(warned->spec), R"({"copiedCSVs":{"enabled":true}})");
  const auto ignored = Parse(body, FieldValidation::kIgnore);
  ASSERT_OK(ignored);
  EXPECT_THAT(ignored->warnings, IsEmpty());
  EXPECT_EQ(ignored->spec, warned->spec);
  const kube::Status strict = kube::FromStatus(Parse(body, FieldValidation::kStrict).status());
  EXPECT_EQ(strict.code, 400);
  EXPECT_THAT(strict.message,
              HasSubstr(R"(PlanPreview in version "v1alpha1" cannot be handled as a PlanPreview: )"
                        R"(strict decoding error: unknown field "a\"\001", unknown field)"));
}

TEST(QuestionTest, HostileBodiesMakeSmallErrors) {
  const std::string text(1 << 20, '"');
  json::object many;
  for (int i = 0; i < 100'000; ++i) many[StrCat("x", i)] = 1;
  json::object spec = many;
  spec["installPlan"] = {{"name", text}};
  json::array manifests(olm::kMaxBundleManifests + 1, json::object());
  json::array wrong(olm::kMaxBundleManifests, 1);
  const json::object rows[] = {
      {{text, 1}, {"spec", spec}},
      many,
      {{"kind", text}},
      {{"apiVersion", text}},
      {{"metadata", {{"name", text}, {"generateName", text}, {"labels", {{text, text}}}}}},
      {{"metadata", {{"namespace", text}}}},
      {{"spec", {{"bundle", {{"manifests", manifests}}}}}},
      {{"spec", {{"bundle", {{"manifests", wrong}, {"properties", wrong}}}}}},
  };
  for (const json::object& row : rows) {
    for (const auto validation : {FieldValidation::kWarn, FieldValidation::kStrict}) {
      const auto question = ParseQuestion("ops", row, validation);
      ASSERT_FALSE(question.ok());
      const kube::Status status = kube::FromStatus(question.status());
      EXPECT_THAT(status.code, ::testing::AnyOf(400, 422));
      EXPECT_LT(kube::ToJson(status).size(), 32'000u);
    }
  }
}

TEST(QuestionTest, ABundleIsBounded) {
  json::array manifests;
  for (int i = 0; i < 4; ++i)
    manifests.push_back(json::object{{"data", std::string(olm::kMaxBundleBytes / 4, 'x')}});
  const json::object body = {{"spec", {{"bundle", {{"manifests", manifests}}}}}};
  const auto question = ParseQuestion("ops", body, FieldValidation::kWarn);
  EXPECT_EQ(kube::FromStatus(question.status()).code, 413);
}

}  // namespace
}  // namespace steward::views
