#include "plugin/command/output.h"

#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "plugin/command/report.h"

namespace steward::plugin {
namespace {

using Form = Output::Form;

struct Word {
  std::string_view word;
  Form form;
  bool has_template = false;
};

constexpr Word kWords[] = {{"", Form::kPeople},
                           {"wide", Form::kWide},
                           {"json", Form::kJson},
                           {"yaml", Form::kYaml},
                           {"name", Form::kName},
                           {"jsonpath", Form::kJsonPath, true},
                           {"jsonpath-as-json", Form::kJsonPathAsJson, true}};

// The word that the value begins with; null if it begins with none of them.
const Word* WordOf(std::string_view value) {
  const size_t equal = value.find('=');
  for (const Word& each : kWords) {
    const bool ends =
        value.size() == each.word.size() || (each.has_template && equal == each.word.size());
    if (ends && value.starts_with(each.word)) return &each;
  }
  return nullptr;
}

}  // namespace

bool IsOutput(std::string_view value) { return WordOf(value) != nullptr; }

absl::StatusOr<Output> ParseOutput(std::string_view value) {
  const Word& word = *WordOf(value);
  Output output{.form = word.form};
  if (!word.has_template) return output;
  if (value.size() <= word.word.size() + 1) {
    return absl::InvalidArgumentError(
        StrCat("--output ", word.word, " needs a template: ", word.word, "='{.items[*].name}'"));
  }
  const std::string_view text = value.substr(word.word.size() + 1);
  absl::StatusOr<JsonPath> path = JsonPath::Parse(text);
  if (!path.ok())
    return WithContext(StrCat("parsing jsonpath ", JsonPath::Shown(text)), path.status());
  output.path = *std::move(path);
  return output;
}

absl::StatusOr<std::string> Render(const Output& output, const boost::json::object& document,
                                   const ObjectNames& names) {
  switch (output.form) {
    case Form::kPeople:
    case Form::kWide:
      return std::string();
    case Form::kJson:
    case Form::kYaml:
      return ReportText(document, output.form == Form::kYaml);
    case Form::kName: {
      std::string text;
      for (const std::string& each : names(document)) StrAppend(&text, each, "\n");
      return text;
    }
    case Form::kJsonPath:
    case Form::kJsonPathAsJson:
      break;
  }
  const JsonPath::Form form =
      output.form == Form::kJsonPath ? JsonPath::Form::kText : JsonPath::Form::kJson;
  absl::StatusOr<std::string> text = output.path->Print(document, form);
  if (!text.ok()) return WithContext("executing jsonpath", text.status());
  return text;
}

}  // namespace steward::plugin
