#include "plugin/preview/preview_diff.h"

#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "plugin/preview/line_diff.h"

namespace steward::plugin {
namespace {

std::string YamlOf(const std::optional<boost::json::value>& value) {
  std::string text;
  if (value) WriteYaml(*value, text);
  return text;
}

Style StyleOf(char mark) {
  if (mark == '+') return Style::kGood;
  return mark == '-' ? Style::kBad : Style::kPlain;
}

void ShowChange(const AskedChange& change, Terminal& terminal) {
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
  const bool shown = change.before.has_value() || change.after.has_value();
  terminal.Line(StrCat("# ", change.path.empty() ? "the object" : change.path,
                       shown ? ": long texts in it are cut" : " is too large to be shown"),
                Style::kFaint);
}

// "v1.ConfigMap.ops.settings", as kubectl diff names its files.
std::string FileOf(const AskedStep& step) {
  return StrCat(step.group, step.group.empty() ? "" : ".", step.version, ".", step.kind, ".",
                step.ns, ".", step.name);
}

void ShowChanges(const AskedStep& step, Terminal& terminal) {
  const bool creates = step.outcome == "Create";
  if (!creates && step.changed_fields.empty()) return;
  terminal.Line(StrCat("--- ", creates ? "/dev/null" : StrCat("LIVE/", FileOf(step))),
                Style::kStrong);
  terminal.Line(StrCat("+++ MERGED/", FileOf(step)), Style::kStrong);
  for (const AskedChange& change : step.changes) ShowChange(change, terminal);
  if (!step.changes.empty()) return;
  if (creates) terminal.Line("# it is created; its content is not told", Style::kFaint);
  for (const std::string& field : step.changed_fields) {
    terminal.Line(StrCat("# ", field, " changes; its values are not told"), Style::kFaint);
  }
}

}  // namespace

void ShowDiff(const AskedPreview& preview, Terminal& terminal) {
  for (const AskedStep& step : preview.steps) {
    if (step.outcome == "Create" || step.outcome == "Update") ShowChanges(step, terminal);
  }
  for (const AskedStep& step : preview.steps) {
    if (!step.Warns() && step.outcome != "NotCreated") continue;
    terminal.Line(StrCat("# ", step.outcome, " ", step.object, ": ", step.reason,
                         step.message.empty() ? "" : ": ", step.message),
                  step.Warns() ? Style::kBad : Style::kPlain);
  }
}

}  // namespace steward::plugin
