#include "plugin/copied_csvs/toggle.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/flags/duration.h"
#include "base/flags/flag_adder.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/write_options.h"
#include "olm/config/olm_config.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/arguments.h"
#include "plugin/command/confirm.h"
#include "plugin/command/exit.h"
#include "plugin/copied_csvs/olm_config.h"
#include "plugin/copied_csvs/survey.h"
#include "plugin/preview/preview_table.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

const kube::NamespacedName kCluster = {"", olm::kOlmConfigName};

std::string NameText(const OperatorCopies& copies) {
  return StrCat(copies.csv.ns, "/", copies.csv.name, copies.gone ? " (gone)" : "");
}

// The limits of names in one line, and of lines.
constexpr size_t kShownNamespaces = 12;
constexpr size_t kShownLosses = 12;

// "blue, few, red" or "a, b and 40 more namespaces".
std::string FirstOf(const std::vector<std::string>& namespaces) {
  const size_t shown = std::min(namespaces.size(), kShownNamespaces);
  const auto first = namespaces.begin();
  std::string text = absl::StrJoin(first, first + static_cast<ptrdiff_t>(shown), ", ");
  if (shown < namespaces.size()) {
    StrAppend(&text, " and ",
              CountText(static_cast<int64_t>(namespaces.size() - shown), "more namespace"));
  }
  return text;
}

std::string CopiesText(size_t count) { return StrCat(count, count == 1 ? " copy" : " copies"); }

// The condition of an OLMConfig, which the controllers write.
struct Condition {
  std::string status;
  std::string reason;
  std::string message;

  // True if the condition says that the controllers have done what they can.
  bool Says(bool off) const {
    if (off) {
      return reason == olm::kCopiedCsvsDisabled &&
             (status == "True" || message == olm::kUnexplainedCopies);
    }
    return status == "False" && reason == olm::kCopiedCsvsEnabled && message.ends_with("cluster");
  }
};

std::optional<Condition> ConditionOf(const json::object& config) {
  const json::object* status = ObjectAt(config, "status");
  const json::array* all = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  if (all == nullptr) return std::nullopt;
  for (const json::value& each : *all) {
    const json::object* condition = each.if_object();
    if (condition == nullptr || StringAt(*condition, "type") != olm::kDisabledCopiedCsvs) continue;
    return Condition{std::string(StringAt(*condition, "status")),
                     std::string(StringAt(*condition, "reason")),
                     std::string(StringAt(*condition, "message"))};
  }
  return std::nullopt;
}

json::value ConditionJson(const Condition& condition) {
  return {
      {"status", condition.status}, {"reason", condition.reason}, {"message", condition.message}};
}

// The OLMConfig `cluster`; nullopt where there is none.
Task<std::optional<json::value>> ReadConfig(kube::Client& client) {
  absl::StatusOr<json::value> config = co_await ReadObject(client, kOlmConfigs, kCluster);
  if (config.ok()) co_return std::optional<json::value>(*std::move(config));
  if (kube::IsNotFound(config.status(), kCluster.name)) co_return std::optional<json::value>();
  if (kube::IsNotServed(config.status())) {
    co_return absl::NotFoundError(
        "this cluster does not serve olmconfigs.operators.coreos.com: it has no OLM, and nobody "
        "who "
        "makes copies in its place");
  }
  co_return WithContext("reading olmconfigs.operators.coreos.com cluster", config.status());
}

// Returns the setting of the OLMConfig, or the state that the controllers report in it. Without an
// OLMConfig, copies are on, unless the controllers run with --disable-copied-csvs, which this
// program cannot know.
Copies ChosenBy(const std::optional<json::value>& config) {
  return config ? CopiesBy(config->get_object()) : Copies::kOn;
}

StatusTask WriteChoice(kube::Client& client, const std::optional<json::value>& config, bool off) {
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  json::object features = {{"disableCopiedCSVs", off}};
  absl::Status written;
  if (!config) {
    const json::value object = {{"apiVersion", "operators.coreos.com/v1"},
                                {"kind", "OLMConfig"},
                                {"metadata", {{"name", kCluster.name}}},
                                {"spec", {{"features", std::move(features)}}}};
    written = (co_await client.Create(kOlmConfigs, "", object, options)).status();
  } else {
    // Remove the other spelling, because some programs read that one first.
    features["disable-copied-csvs"] = nullptr;
    const json::value patch = {{"spec", {{"features", std::move(features)}}}};
    written =
        (co_await client.Patch(kOlmConfigs, kCluster, kube::PatchType::kJsonMerge, patch, options))
            .status();
  }
  if (!written.ok())
    co_return WithContext("writing olmconfigs.operators.coreos.com cluster", written);
  co_return absl::OkStatus();
}

// The changes that the new setting makes, for people and programs.
class Preview {
 public:
  Preview(const CopiesSurvey& survey, bool off) : off_(off), operators_(survey.Compare(off)) {
    for (const OperatorCopies& each : operators_) {
      for (const std::string& ns : Changes(each)) by_namespace_[ns].push_back(&each);
      count_ += Changes(each).size();
    }
  }

  size_t count() const { return count_; }
  void Show(Terminal& terminal) const {
    ShowChanges(terminal);
    for (const OperatorCopies& each : operators_) {
      if (!each.stays.empty()) ShowStaying(terminal, each);
    }
  }
  // The number of copies that remain in spite of the setting: they stay, or their operator is gone.
  // Namespaces that the controllers protect may have more copies.
  size_t left() const {
    size_t count = 0;
    for (const OperatorCopies& each : operators_) count += Left(each).size();
    return count;
  }
  void ShowLeft(Terminal& terminal) const {
    for (const OperatorCopies& each : operators_) {
      if (!Left(each).empty()) ShowStaying(terminal, each);
    }
  }
  // Shows in which namespaces users who may read no other namespace will no longer see an operator.
  void ShowLoss(Terminal& terminal) const {
    // Namespaces, by the operators that they lose.
    std::map<std::string, std::vector<std::string>> namespaces;
    for (const auto& [ns, operators] : by_namespace_) {
      std::string names;
      for (const OperatorCopies* each : operators) {
        StrAppend(&names, names.empty() ? "" : ", ", NameText(*each));
      }
      namespaces[names].push_back(ns);
    }
    terminal.Line(
        "Whoever may read these namespaces, and not the operator's own, loses sight of it:");
    size_t left = namespaces.size();
    for (const auto& [names, alike] : namespaces) {
      if (namespaces.size() - left == kShownLosses) break;
      terminal.Line(StrCat("  ", FirstOf(alike), ": ", names));
      --left;
    }
    if (left > 0) {
      terminal.Line(StrCat("  and ", left, " more groups of namespaces, which -o json names"));
    }
  }
  void AddTo(json::object& document) const {
    json::array namespaces;
    for (const auto& [ns, operators] : by_namespace_) {
      json::array names;
      for (const OperatorCopies* each : operators) {
        names.push_back({{"namespace", each->csv.ns}, {"name", each->csv.name}});
      }
      namespaces.push_back({{"namespace", ns}, {"copiesOf", std::move(names)}});
    }
    document[off_ ? "deletes" : "creates"] = std::move(namespaces);
  }

 private:
  static void ShowStaying(Terminal& terminal, const OperatorCopies& copies) {
    const size_t count = Left(copies).size();
    terminal.Line(
        StrCat("  ", CopiesText(count), " of ", NameText(copies), count == 1 ? " stays" : " stay",
               copies.gone ? "" : ": ", copies.stays_since),
        Style::kWarning);
  }
  static const std::set<std::string>& Left(const OperatorCopies& copies) {
    return copies.gone ? copies.deletes : copies.stays;
  }
  void ShowChanges(Terminal& terminal) const {
    if (count_ == 0) {
      terminal.Line(off_ ? "There are no copies to delete" : "There are no copies to make");
      return;
    }
    terminal.Line(StrCat(off_ ? "Turning copies off deletes " : "Turning copies on makes ",
                         CopiesText(count_), " in ",
                         CountText(static_cast<int64_t>(by_namespace_.size()), "namespace"), ":"),
                  Style::kStrong);
    for (const OperatorCopies& each : operators_) {
      if (Changes(each).empty()) continue;
      terminal.Line(StrCat("  ", NameText(each), ": ", CopiesText(Changes(each).size())));
    }
  }
  const std::set<std::string>& Changes(const OperatorCopies& copies) const {
    return off_ ? copies.deletes : copies.creates;
  }

  const bool off_;
  const std::vector<OperatorCopies> operators_;
  std::map<std::string, std::vector<const OperatorCopies*>> by_namespace_;
  size_t count_ = 0;
};

// The wait until the condition says that the controllers have carried out the setting.
class CarriedOut : public Awaited {
 public:
  CarriedOut(Session& session, bool off) : session_(session), off_(off) {}

  Task<bool> IsDone(absl::Duration) override {
    const absl::StatusOr<std::optional<json::value>> config = co_await ReadConfig(session_.client);
    if (!config.ok()) {
      if (kube::IsTransient(config.status())) co_return false;
      co_return config.status();
    }
    if (!*config || ChosenBy(*config) != (off_ ? Copies::kOff : Copies::kOn)) {
      co_return Refused("somebody else has changed the OLMConfig cluster meanwhile");
    }
    condition_ = ConditionOf((*config)->get_object());
    if (condition_) session_.document["condition"] = ConditionJson(*condition_);
    co_return condition_ && condition_->Says(off_);
  }
  void Show(absl::Duration waited) override {
    session_.terminal.Draw(
        condition_ ? condition_->message : "Waiting for the controllers to say what they do",
        ElapsedText(waited));
  }
  absl::Status OutOfTime(absl::Duration, absl::Duration limit) override {
    return Stalled(StrCat("the choice is written, but the controllers do not say within ",
                          DurationText(limit),
                          " that it is carried out. Does olm-operator run, or Steward's "
                          "reconcilers copied-csvs and olm-config?"));
  }

 private:
  Session& session_;
  const bool off_;
  std::optional<Condition> condition_;
};

// Shows which users no longer see which operators.
StatusTask ShowVisibility(Session& session) {
  kube::ListOptions one;
  one.limit = 1;
  const absl::Status status = (co_await session.client.List(kInstalledOperators, one)).status();
  if (kube::IsNotServed(status)) {
    session.terminal.Line(
        StrCat("Nobody sees these operators there any more: this cluster does not serve ",
               kInstalledOperators.GroupResource()),
        Style::kBad);
    co_return absl::OkStatus();
  }
  session.terminal.Line(
      "There kubectl get csv no longer shows these operators; kubectl get installedoperators does");
  session.terminal.Line("Namespaces that the controllers protect keep their copies");
  co_return absl::OkStatus();
}

// Checks whether copies are left after the controllers have done what they can. Stalled if there
// are some.
StatusTask CheckNoneIsLeft(Session& session) {
  CO_ASSIGN_OR_RETURN(const CopiesSurvey survey, co_await CopiesSurvey::Read(session.client));
  const Preview preview(survey, /*off=*/true);
  const size_t left = preview.left();
  session.document["left"] = left;
  if (left == 0) co_return absl::OkStatus();
  preview.ShowLeft(session.terminal);
  co_return Stalled(
      StrCat("copies are turned off, and ", CopiesText(left), left == 1 ? " is" : " are", " left"));
}

class StatusCommand : public Command {
 public:
  void AddFlags(CLI::App&) override {}
  StatusTask Run(Session& session) override { return ShowCopies(session); }
};

class ToggleCommand : public Command {
 public:
  explicit ToggleCommand(bool off) { options_.off = off; }

  void AddFlags(CLI::App& app) override {
    FlagAdder flags(app);
    AddDryRunFlag(app, options_.dry_run, "Show what would be deleted or made, and stop");
    AddWaitingFlags(app, options_.wait, options_.timeout);
  }
  StatusTask Run(Session& session) override { return ToggleCopies(session, options_); }

 private:
  ToggleOptions options_;
};

}  // namespace

StatusTask ShowCopies(Session& session) {
  CO_ASSIGN_OR_RETURN(const std::optional<json::value> config, co_await ReadConfig(session.client));
  CO_ASSIGN_OR_RETURN(const CopiesSurvey survey, co_await CopiesSurvey::Read(session.client));
  const Copies chosen = ChosenBy(config);
  const bool off = chosen == Copies::kOff;
  if (chosen == Copies::kNotUnderstood) {
    session.terminal.Line(kChoiceNotUnderstood, Style::kBad);
  } else {
    session.document["copiesTurnedOff"] = off;
    session.terminal.Line(StrCat("Copies of operators for all namespaces are turned ",
                                 off      ? "off"
                                 : config ? "on"
                                          : "on, unless the controllers run with "
                                            "--disable-copied-csvs: there is no OLMConfig cluster"),
                          Style::kStrong);
  }
  const std::optional<Condition> condition =
      config ? ConditionOf(config->get_object()) : std::nullopt;
  if (condition) {
    session.document["condition"] = ConditionJson(*condition);
    session.terminal.Line(condition->message);
  } else if (config) {
    session.terminal.Line("No controller has said yet what it makes of that", Style::kWarning);
  }
  json::array operators;
  for (const OperatorCopies& each : survey.Compare(off)) {
    std::string text =
        StrCat("  ", NameText(each), ": ", CopiesText(static_cast<size_t>(each.present)));
    if (!each.creates.empty()) StrAppend(&text, ", ", each.creates.size(), " missing");
    if (!each.deletes.empty()) StrAppend(&text, ", ", each.deletes.size(), " to be deleted");
    if (!each.stays.empty()) {
      StrAppend(&text, ", ", each.stays.size(), " left: ", each.stays_since);
    }
    session.terminal.Line(text);
    operators.push_back({{"namespace", each.csv.ns},
                         {"name", each.csv.name},
                         {"copies", each.present},
                         {"missing", each.creates.size()},
                         {"unexpected", each.deletes.size() + each.stays.size()}});
  }
  session.document["operators"] = std::move(operators);
  co_return absl::OkStatus();
}

StatusTask ToggleCopies(Session& session, ToggleOptions options) {
  const std::string_view state = options.off ? "off" : "on";
  CO_ASSIGN_OR_RETURN(const std::optional<json::value> config, co_await ReadConfig(session.client));
  CO_ASSIGN_OR_RETURN(const CopiesSurvey survey, co_await CopiesSurvey::Read(session.client));
  const Preview preview(survey, options.off);
  preview.AddTo(session.document);
  session.document["changed"] = false;
  preview.Show(session.terminal);
  if (preview.count() > 0) {
    if (options.off) {
      preview.ShowLoss(session.terminal);
      CO_RETURN_IF_ERROR(co_await ShowVisibility(session));
    }
    json::object spec = {{"copiedCSVs", {{"enabled", !options.off}}}};
    CO_RETURN_IF_ERROR(co_await ShowAskedPreview(session, std::move(spec)));
  }
  if (options.dry_run) co_return absl::OkStatus();
  if (!config && !options.off && preview.count() == 0) {
    session.terminal.Line("All copies are there, and there is no OLMConfig cluster that says no");
    co_return absl::OkStatus();
  }
  const absl::StatusOr<std::optional<bool>> word =
      config ? olm::DisablesCopies(config->get_object()) : std::optional<bool>();
  if (word.ok() && *word == options.off) {
    session.terminal.Line(StrCat("The OLMConfig cluster says already that copies are ", state));
  } else {
    CO_RETURN_IF_ERROR(Confirm(session, StrCat("Turn copies ", state, "?")));
    CO_RETURN_IF_ERROR(co_await WriteChoice(session.client, config, options.off));
    session.document["changed"] = true;
    session.terminal.Line(
        StrCat("Turned copies ", state,
               " (OLMConfig cluster: disableCopiedCSVs: ", options.off ? "true" : "false", ")"));
  }
  if (!options.wait) co_return absl::OkStatus();
  CarriedOut carried_out(session, options.off);
  const Deadline deadline(session.clock, options.timeout);
  CO_RETURN_IF_ERROR(co_await WaitFor(session, carried_out, deadline));
  session.terminal.Clear();
  if (options.off) CO_RETURN_IF_ERROR(co_await CheckNoneIsLeft(session));
  session.terminal.Line(
      options.off ? "Done: no copy is left that shall not be there" : "Done: all copies are there",
      Style::kGood);
  co_return absl::OkStatus();
}

KnownCommand KnownCopiesStatus() {
  return {.name = "status",
          .description = "Show whether copies are on, and how far the controllers are",
          .report = "CopiesStatusReport",
          .examples = {{"Show whether operators are copied", "copied-csvs status"}},
          .make = [] { return std::make_unique<StatusCommand>(); }};
}

KnownCommand KnownCopiesOn() {
  return {.name = "on",
          .description = "Have operators for all namespaces copied",
          .report = "CopiesToggleReport",
          .examples = {{"Have the copies made again", "copied-csvs on"}},
          .asks = true,
          .make = [] { return std::make_unique<ToggleCommand>(false); }};
}

KnownCommand KnownCopiesOff() {
  return {.name = "off",
          .description = "Have the copies of operators for all namespaces deleted",
          .report = "CopiesToggleReport",
          .examples = {{"Show which copies would be deleted", "copied-csvs off --dry-run"},
                       {"Have them deleted", "copied-csvs off"}},
          .asks = true,
          .make = [] { return std::make_unique<ToggleCommand>(true); }};
}

}  // namespace steward::plugin
