#include "plugin/preview/preview_diff.h"

#include <boost/json/value.hpp>
#include <string>

#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "plugin/preview/asked_preview.h"
#include "plugin/preview/line_diff.h"

namespace steward::plugin {
namespace {

using olm::Outcome;

// Converts JSON to YAML; "" = the value is absent.
std::string YamlOf(const std::string& value) {
  const absl::StatusOr<boost::json::value> parsed = ParseJson(value);
  std::string text;
  if (parsed.ok()) WriteYaml(*parsed, text);
  return text;
}

Style StyleOf(char mark) {
  if (mark == '+') return Style::kGood;
  return mark == '-' ? Style::kBad : Style::kPlain;
}

void ShowChange(const olm::PreviewChange& change, Terminal& terminal) {
  const std::string before = YamlOf(change.before);
  const std::string after = YamlOf(change.after);
  const std::string path = StrCat(change.path.empty() ? "" : " ", change.path);
  for (const DiffHunk& hunk : DiffLines(before, after)) {
    terminal.Line(StrCat("@@ -", hunk.before_line, ",", hunk.before_count, " +", hunk.after_line,
                         ",", hunk.after_count, " @@", path),
                  Style::kFaint);
    for (const DiffLine& line : hunk.lines) {
      terminal.Line(StrCat(std::string(1, line.mark), line.text), StyleOf(line.mark));
    }
  }
  if (!change.cut) return;
  const bool shown = !change.before.empty() || !change.after.empty();
  terminal.Line(StrCat("# ", change.path.empty() ? "the object" : change.path,
                       shown ? ": long texts in it are cut" : " is too large to be shown"),
                Style::kFaint);
}

// Returns a name like "v1.ConfigMap.ops.settings", as kubectl diff names its files.
std::string FileOf(const olm::PreviewStep& step) {
  return StrCat(step.gvk.group, step.gvk.group.empty() ? "" : ".", step.gvk.version, ".",
                step.gvk.kind, ".", step.ns, ".", step.name);
}

void ShowChanges(const olm::PreviewStep& step, Terminal& terminal) {
  const bool creates = step.outcome == Outcome::kCreate;
  if (!creates && step.changed_fields.empty()) return;
  terminal.Line(StrCat("--- ", creates ? "/dev/null" : StrCat("LIVE/", FileOf(step))),
                Style::kStrong);
  terminal.Line(StrCat("+++ MERGED/", FileOf(step)), Style::kStrong);
  for (const olm::PreviewChange& change : step.changes) ShowChange(change, terminal);
  if (!step.changes.empty()) return;
  if (creates) terminal.Line("# it is created; its content is not told", Style::kFaint);
  for (const std::string& field : step.changed_fields) {
    terminal.Line(StrCat("# ", field, " changes; its values are not told"), Style::kFaint);
  }
}

}  // namespace

void ShowDiff(const olm::PlanPreview& preview, Terminal& terminal) {
  for (const olm::PreviewStep& step : preview.steps) {
    if (step.outcome == Outcome::kCreate || step.outcome == Outcome::kUpdate)
      ShowChanges(step, terminal);
  }
  for (const olm::PreviewStep& step : preview.steps) {
    if (!Warns(step) && step.outcome != Outcome::kNotCreated) continue;
    terminal.Line(StrCat("# ", olm::ToString(step.outcome), " ", ObjectText(step), ": ",
                         step.reason, step.message.empty() ? "" : ": ", step.message),
                  Warns(step) ? Style::kBad : Style::kPlain);
  }
}

}  // namespace steward::plugin
