#include "apiserver/rest/writes/write_parameters.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "apiserver/http/message/message.h"
#include "base/status/matchers.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"

namespace steward::rest {
namespace {

using Query = std::vector<std::pair<std::string, std::string>>;

http::Request RequestWith(Query query) {
  http::Request request;
  request.query = std::move(query);
  return request;
}

TEST(WriteParametersTest, Good) {
  const struct {
    std::string name;
    Query query;
    bool dry_run;
    std::string manager;
    FieldValidation validation;
  } kRows[] = {
      {"nothing", {}, false, "", FieldValidation::kWarn},
      {"kubectl create",
       {{"fieldManager", "kubectl-create"}, {"fieldValidation", "Strict"}},
       false,
       "kubectl-create",
       FieldValidation::kStrict},
      {"dry run", {{"dryRun", "All"}}, true, "", FieldValidation::kWarn},
      {"dry run twice", {{"dryRun", "All"}, {"dryRun", "All"}}, true, "", FieldValidation::kWarn},
      {"ignore", {{"fieldValidation", "Ignore"}}, false, "", FieldValidation::kIgnore},
      {"warn", {{"fieldValidation", "Warn"}}, false, "", FieldValidation::kWarn},
      {"empty", {{"fieldValidation", ""}, {"fieldManager", ""}}, false, "", FieldValidation::kWarn},
      {"unknown", {{"foo", "bar"}, {"limit", "x"}}, false, "", FieldValidation::kWarn},
      {"signs",
       {{"fieldManager", "a \"b\" \\ \xc3\xa9"}},
       false,
       "a \"b\" \\ \xc3\xa9",
       FieldValidation::kWarn},
      {"longest",
       {{"fieldManager", std::string(128, 'x')}},
       false,
       std::string(128, 'x'),
       FieldValidation::kWarn},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    for (const auto& got :
         {ParseCreateParameters(RequestWith(row.query)),
          ParseUpdateParameters(RequestWith(row.query)),
          ParsePatchParameters(RequestWith(row.query), kube::PatchType::kJsonMerge)}) {
      ASSERT_OK(got);
      EXPECT_EQ(got->options.dry_run, row.dry_run);
      EXPECT_EQ(got->options.field_manager, row.manager);
      EXPECT_EQ(got->options.subresource, "");
      EXPECT_EQ(got->field_validation, row.validation);
    }
  }
}

struct BadCase {
  std::string name;
  Query query;
  std::string message;  // the text behind `...Options.meta.k8s.io "" is invalid: `
};

class BadWriteTest : public testing::TestWithParam<BadCase> {};

// The messages are those of k8s.io/apimachinery 0.36.
TEST_P(BadWriteTest, Refused) {
  const http::Request request = RequestWith(GetParam().query);
  const std::pair<std::string, absl::StatusOr<WriteParameters>> kParsed[] = {
      {"CreateOptions", ParseCreateParameters(request)},
      {"UpdateOptions", ParseUpdateParameters(request)},
      {"PatchOptions", ParsePatchParameters(request, kube::PatchType::kJsonMerge)}};
  for (const auto& [kind, got] : kParsed) {
    ASSERT_FALSE(got.ok());
    const kube::Status status = kube::FromStatus(got.status());
    EXPECT_EQ(status.code, 422);
    EXPECT_EQ(status.reason, "Invalid");
    EXPECT_EQ(status.message, kind + ".meta.k8s.io \"\" is invalid: " + GetParam().message);
  }
}

constexpr char kBadDryRun[] = R"(dryRun: Unsupported value: ["Foo"]: supported values: "All")";
constexpr char kBadValidation[] =
    R"(fieldValidation: Unsupported value: "x": supported values: "", "Ignore", "Strict", "Warn")";

const BadCase kBad[] = {
    {"DryRun", {{"dryRun", "Foo"}}, kBadDryRun},
    {"EmptyDryRun",
     {{"dryRun", ""}},
     R"(dryRun: Unsupported value: [""]: supported values: "All")"},
    {"SecondDryRun",
     {{"dryRun", "All"}, {"dryRun", "Foo"}},
     R"(dryRun: Unsupported value: ["All","Foo"]: supported values: "All")"},
    {"LongManager",
     {{"fieldManager", std::string(129, 'x')}},
     "fieldManager: Too long: may not be more than 128 bytes"},
    {"UnprintableManager",
     {{"fieldManager", "a\nb"}},
     R"(fieldManager: Invalid value: "a\nb": invalid character U+000A (at position 1))"},
    {"UnprintableUnicode",
     {{"fieldManager", "\xc3\xa9\xe2\x80\xa8"}},
     "fieldManager: Invalid value: \"\xc3\xa9\\u2028\": invalid character U+2028 (at position 2)"},
    {"NoUtf8",
     {{"fieldManager", "\xff"}},
     R"(fieldManager: Invalid value: "\xff": invalid character U+FFFD (at position 0))"},
    {"FieldValidation", {{"fieldValidation", "x"}}, kBadValidation},
    {"Everything",
     {{"fieldValidation", "x"}, {"dryRun", "Foo"}, {"fieldManager", std::string(200, 'x')}},
     std::string("[fieldManager: Too long: may not be more than 128 bytes, ") + kBadDryRun + ", " +
         kBadValidation + "]"},
};
INSTANTIATE_TEST_SUITE_P(All, BadWriteTest, testing::ValuesIn(kBad),
                         [](const auto& info) { return info.param.name; });

TEST(PatchParametersTest, ForceAndManagerAreForApply) {
  const struct {
    std::string name;
    kube::PatchType type;
    Query query;
    std::string message;  // "" = fine
  } kRows[] = {
      {"apply", kube::PatchType::kApply, {{"fieldManager", "me"}, {"force", "true"}}, ""},
      {"nobody",
       kube::PatchType::kApply,
       {},
       "PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for "
       "apply patch"},
      {"forced merge",
       kube::PatchType::kJsonMerge,
       {{"force", "false"}},
       "PatchOptions.meta.k8s.io \"\" is invalid: force: Forbidden: may not be specified for "
       "non-apply patch"},
      {"merge", kube::PatchType::kJsonMerge, {}, ""},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.name);
    const auto got = ParsePatchParameters(RequestWith(row.query), row.type);
    ASSERT_EQ(got.ok(), row.message.empty());
    if (got.ok()) continue;
    EXPECT_EQ(kube::FromStatus(got.status()).message, row.message);
  }
}

}  // namespace
}  // namespace steward::rest
