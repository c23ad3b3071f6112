#include "apiserver/rest/writes/write_parameters.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "apiserver/rest/parameters/query.h"
#include "base/json/json_text.h"
#include "base/json/utf8.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"

namespace steward::rest {
namespace {

constexpr size_t kMaxFieldManager = 128;

std::string JsonArray(const std::vector<std::string>& values) {
  std::string out = "[";
  for (const std::string& value : values) {
    if (out.size() > 1) out += ',';
    AppendHtmlSafeJsonString(value, out);
  }
  return out + "]";
}

// True for a character that a quoted text contains unchanged.
bool IsPrintable(std::string_view character) {
  return character == "\"" || character == "\\" ||
         kube::Quote(character) == StrCat("\"", character, "\"");
}

void CheckFieldManager(const std::string& manager, OptionChecker& checker) {
  constexpr std::string_view kField = "fieldManager";
  if (manager.size() > kMaxFieldManager) {
    // The value is not quoted in the error, which would repeat it for each character.
    checker.TooLong(kField, kMaxFieldManager);
    return;
  }
  for (size_t at = 0; at < manager.size();) {
    const Utf8Char character = DecodeUtf8(manager, at);
    const size_t length = std::max<size_t>(character.length, 1);
    if (!IsPrintable(std::string_view(manager).substr(at, length))) {
      const uint32_t code = character.length == 0 ? 0xFFFD : character.code;
      checker.Invalid(
          kField, kube::Quote(manager),
          absl::StrFormat("invalid character U+%04X (at position %d)", code, static_cast<int>(at)));
    }
    at += length;
  }
}

FieldValidation CheckFieldValidation(const std::string& text, OptionChecker& checker) {
  if (text == "Ignore") return FieldValidation::kIgnore;
  if (text == "Strict") return FieldValidation::kStrict;
  if (!text.empty() && text != "Warn") {
    checker.Unsupported("fieldValidation", kube::Quote(text), {"", "Ignore", "Strict", "Warn"});
  }
  return FieldValidation::kWarn;
}

absl::StatusOr<WriteParameters> Parse(const http::Request& request, OptionChecker checker) {
  WriteParameters parameters;
  parameters.options.field_manager = QueryString(request, "fieldManager");
  CheckFieldManager(parameters.options.field_manager, checker);
  const std::vector<std::string> dry_run = QueryStrings(request, "dryRun");
  CheckDryRun(dry_run, checker);
  parameters.options.dry_run = !dry_run.empty();
  parameters.field_validation =
      CheckFieldValidation(QueryString(request, "fieldValidation"), checker);
  RETURN_IF_ERROR(std::move(checker).Result());
  return parameters;
}

}  // namespace

void CheckDryRun(const std::vector<std::string>& values, OptionChecker& checker) {
  for (const std::string& value : values) {
    if (value == "All") continue;
    checker.Unsupported("dryRun", JsonArray(values), {"All"});
    return;
  }
}

absl::StatusOr<WriteParameters> ParseCreateParameters(const http::Request& request) {
  return Parse(request, OptionChecker("CreateOptions"));
}

absl::StatusOr<WriteParameters> ParseUpdateParameters(const http::Request& request) {
  return Parse(request, OptionChecker("UpdateOptions"));
}

absl::StatusOr<WriteParameters> ParsePatchParameters(const http::Request& request,
                                                     kube::PatchType type) {
  OptionChecker checker("PatchOptions");
  if (type == kube::PatchType::kApply) {
    if (QueryString(request, "fieldManager").empty()) {
      checker.Require("fieldManager", "is required for apply patch");
    }
  } else if (QueryBool(request, "force")) {
    checker.Forbid("force", "may not be specified for non-apply patch");
  }
  ASSIGN_OR_RETURN(WriteParameters parameters, Parse(request, std::move(checker)));
  parameters.options.force = QueryBool(request, "force").value_or(false);
  return parameters;
}

}  // namespace steward::rest
