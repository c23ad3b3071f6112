#include "plugin/preview/preview_table.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "base/text/str_cat.h"
#include "plugin/preview/asked_preview.h"
#include "plugin/terminal/printer.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

using olm::Outcome;

// The most changed fields shown per step in a table that is not wide.
constexpr size_t kMostFields = 4;
// The most warnings in the summary; a JSON or YAML document has all.
constexpr size_t kMostWarnings = 20;
// The most steps that ShowAskedPreview shows.
constexpr size_t kMostAside = 10;

Style StyleOf(const olm::PreviewStep& step) {
  switch (step.outcome) {
    case Outcome::kCreate:
      return Style::kGood;
    case Outcome::kUpdate:
      return Style::kPlain;
    case Outcome::kDelete:
    case Outcome::kUnknown:
      return Style::kWarning;
    case Outcome::kBlocked:
    case Outcome::kFail:
      return Style::kBad;
    case Outcome::kUnchanged:
    case Outcome::kNotCreated:
    case Outcome::kKeep:
      break;
  }
  return Style::kFaint;
}

std::string Details(const olm::PreviewStep& step, bool wide) {
  if (!step.changed_fields.empty()) {
    const size_t shown =
        wide ? step.changed_fields.size() : std::min(kMostFields, step.changed_fields.size());
    const auto first = step.changed_fields.begin();
    std::string text = absl::StrJoin(first, first + static_cast<ptrdiff_t>(shown), ", ");
    if (shown < step.changed_fields.size()) {
      StrAppend(&text, " and ", step.changed_fields.size() - shown, " more");
    }
    if (!step.message.empty()) StrAppend(&text, "; ", step.message);
    return text;
  }
  return step.message;
}

}  // namespace

void ShowSummary(const olm::PlanPreview& preview, Terminal& terminal) {
  std::map<std::string, size_t> counts;
  size_t warnings = 0;
  for (const olm::PreviewStep& step : preview.steps) {
    ++counts[std::string(olm::ToString(step.outcome))];
    for (const std::string& warning : step.warnings) {
      if (++warnings > kMostWarnings) continue;
      terminal.Note(StrCat("Warning: ", ObjectText(step), ": ", warning), Style::kWarning);
    }
  }
  if (warnings > kMostWarnings) {
    terminal.Note(
        StrCat("and ", CountText(static_cast<int64_t>(warnings - kMostWarnings), "more warning")),
        Style::kWarning);
  }
  std::vector<std::string> parts;
  for (const auto& [outcome, count] : counts) parts.push_back(StrCat(count, " ", outcome));
  if (preview.hidden > 0) parts.push_back(StrCat(preview.hidden, " that you may not see"));
  if (preview.remaining > 0) parts.push_back(StrCat(preview.remaining, " not looked at"));
  terminal.Line(StrCat(CountText(static_cast<int64_t>(preview.steps.size()), "step"),
                       parts.empty() ? "" : ": ", absl::StrJoin(parts, ", ")),
                IsClear(preview) ? Style::kPlain : Style::kWarning);
  const bool tells =
      !preview.condition.executable || preview.steps.empty() || !preview.condition.message.empty();
  if (tells && !preview.condition.reason.empty()) {
    terminal.Line(StrCat(preview.condition.reason, preview.condition.message.empty() ? "" : ": ",
                         preview.condition.message),
                  preview.condition.executable ? Style::kPlain : Style::kWarning);
  }
}

void ShowPreview(const olm::PlanPreview& preview, const PreviewTableOptions& options,
                 Terminal& terminal) {
  std::vector<const olm::PreviewStep*> shown;
  for (const olm::PreviewStep& step : preview.steps) shown.push_back(&step);
  const size_t all = shown.size();
  if (all > options.most) {
    std::stable_partition(shown.begin(), shown.end(),
                          [](const olm::PreviewStep* step) { return Warns(*step); });
    shown.resize(options.most);
  }
  std::vector<std::string> header = {"OUTCOME", "OBJECT", "REASON"};
  if (options.wide) header.emplace_back("BASIS");
  header.emplace_back("DETAILS");
  Table table(header);
  for (const olm::PreviewStep* step : shown) {
    Terminal::Row row = {{std::string(olm::ToString(step->outcome)), StyleOf(*step)},
                         {StrCat(ObjectText(*step), step->optional ? " (optional)" : "")},
                         {step->reason}};
    if (options.wide) row.push_back({std::string(olm::ToString(step->basis))});
    row.push_back({Details(*step, options.wide)});
    table.Add(std::move(row));
  }
  if (!shown.empty()) table.Print(terminal);
  if (all > shown.size()) terminal.Line(StrCat("and ", all - shown.size(), " more"));
  ShowSummary(preview, terminal);
}

StatusTask ShowAskedPreview(Session& session, boost::json::object spec, std::string ns) {
  if (ns.empty()) ns = session.ns;
  absl::StatusOr<AskedPreview> asked =
      co_await AskPreview(session.client, std::move(ns), std::move(spec));
  if (!asked.ok()) {
    const bool without = IsWithoutPreviews(asked.status());
    co_return without ? absl::OkStatus() : asked.status();
  }
  session.terminal.Line("Asked of the cluster, with dry-run:", Style::kStrong);
  PreviewTableOptions options;
  options.most = kMostAside;
  ShowPreview(asked->said, options, session.terminal);
  session.document["planPreview"] = std::move(asked->object);
  co_return absl::OkStatus();
}

}  // namespace steward::plugin
