#include "plugin/cleanup/status_command.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/time.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/target_set.h"
#include "plugin/cleanup/original.h"
#include "plugin/cleanup/progress.h"
#include "plugin/cluster/cleanup_status.h"
#include "plugin/cluster/object_names.h"
#include "plugin/cluster/operands.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/arguments.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/printer.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

std::string AgeOf(const std::string& since, absl::Time now) {
  const absl::StatusOr<absl::Time> time = kube::ParseRfc3339(since);
  return time.ok() ? AgeText(now - *time) : "<unknown>";
}

std::string Reasons(const CleanupStatus& status) {
  std::vector<std::string> reasons;
  for (const CleanupStatus::Blocker& blocker : status.blockers) reasons.push_back(blocker.reason);
  return absl::StrJoin(reasons, ",");
}

Style StyleOf(const std::string& phase) {
  if (phase == "Stalled") return Style::kBad;
  if (phase == "Refused" || phase == "Unknown") return Style::kWarning;
  if (phase == "Deleting" || phase == "Draining") return Style::kStrong;
  return Style::kPlain;
}

std::string TargetsText(const olm::TargetSet& targets) {
  if (targets.all()) return "all namespaces";
  return targets.empty() ? "none" : absl::StrJoin(targets.names(), ", ");
}

void ShowTable(Session& session, const std::vector<CleanupStatus>& statuses,
               const StatusOptions& options) {
  if (statuses.empty()) {
    session.terminal.Note("No operators found");
    return;
  }
  const bool with_namespace = options.ns.empty();
  std::vector<std::string> header = {"NAME", "PHASE", "PENDING", "BLOCKERS", "AGE"};
  if (session.wide) header.insert(header.end(), {"UNINSTALLED", "STALLED", "TARGETS"});
  if (with_namespace) header.insert(header.begin(), "NAMESPACE");
  Table table(header);
  if (!options.headers) table.HideHeader();
  const absl::Time now = session.clock.Now();
  const auto ago = [now](const std::string& since) {
    return since.empty() ? "" : StrCat(AgeOf(since, now), " ago");
  };
  for (const CleanupStatus& status : statuses) {
    Terminal::Row row = {{status.csv.name},
                         {status.phase, StyleOf(status.phase)},
                         {StrCat(status.pending_count)},
                         {Reasons(status)},
                         {AgeOf(status.created, now)}};
    if (session.wide) {
      row.insert(
          row.end(),
          {{ago(status.started_at)}, {ago(status.stalled_since)}, {TargetsText(status.targets)}});
    }
    if (with_namespace) row.insert(row.begin(), Terminal::Piece{status.csv.ns});
    table.Add(std::move(row));
  }
  table.Print(session.terminal);
}

json::array TargetsJson(const olm::TargetSet& targets) {
  if (targets.all()) return {"*"};
  return json::array(targets.names().begin(), targets.names().end());
}

// "1 custom resource, 1 definition being deleted"; "" when nothing is waited for.
std::string PendingText(const CleanupStatus& status) {
  std::string text;
  if (status.pending_count > 0) text = CountText(status.pending_count, "custom resource");
  const auto definitions = std::count_if(status.pending.begin(), status.pending.end(),
                                         [](const CleanupStatus::Pending& pending) {
                                           return pending.resource == kCrds.GroupResource();
                                         });
  if (definitions == 0) return text;
  return StrCat(text, text.empty() ? "" : ", ", CountText(definitions, "definition"),
                " being deleted");
}

void ShowOne(Session& session, const CleanupStatus& status) {
  const auto say = [&session](std::string_view label, std::string_view text,
                              Style style = Style::kPlain) {
    PrintField(session.terminal, label, text, style);
  };
  say("Operator", StrCat(status.csv.ns, "/", status.csv.name), Style::kStrong);
  say("Phase", status.phase, StyleOf(status.phase));
  say("Cleanup", StrCat(status.enabled ? "supported by its author" : "not supported by its author",
                        ", ", status.opted_in ? "opted in" : "not opted in"));
  say("Works in", TargetsText(status.targets));
  say("Owns", absl::StrJoin(status.resources, ", "));
  for (const CleanupStatus::Blocker& blocker : status.blockers) {
    say("Blocker", DescribeBlocker(blocker), Style::kWarning);
  }
  if (!status.started_at.empty()) say("Uninstalled", status.started_at);
  if (!status.stalled_since.empty()) say("Stalled since", status.stalled_since, Style::kBad);
  for (const CleanupStatus::Condition& condition : status.conditions) {
    say(condition.reason, condition.message);
  }
  const std::string pending = PendingText(status);
  if (!pending.empty()) say("Pending", pending);
  constexpr size_t kShown = 20;
  for (size_t i = 0; i < std::min(kShown, status.pending.size()); ++i) {
    const CleanupStatus::Pending& pending = status.pending[i];
    say("", StrCat(pending.resource, " ", pending.name.ns.empty() ? "" : pending.name.ns + "/",
                   pending.name.name));
  }
}

// The operands that are being deleted, with their finalizers, read with the user's own rights.
// Empty if these rights do not suffice.
boost::asio::awaitable<std::vector<HeldOperand>> FindHeld(Session& session, CleanupStatus status) {
  std::vector<HeldOperand> held;
  if (status.started_at.empty()) co_return held;
  std::set<std::string> owned(status.resources.begin(), status.resources.end());
  absl::StatusOr<std::vector<olm::CrdPlan>> plans =
      co_await ReadPlans(session.client, std::move(owned), status.targets);
  if (!plans.ok()) co_return held;
  absl::StatusOr<OperandCounts> counts = co_await CountOperands(session.client, *std::move(plans));
  if (counts.ok()) held = std::move(counts->oldest);
  co_return held;
}

json::object StatusJson(const CleanupStatus& status) {
  json::array blockers;
  for (const CleanupStatus::Blocker& blocker : status.blockers) {
    blockers.push_back({{"reason", blocker.reason},
                        {"message", blocker.message},
                        {"objects", json::array(blocker.objects.begin(), blocker.objects.end())},
                        {"objectsElsewhere", blocker.elsewhere}});
  }
  json::array conditions;
  for (const CleanupStatus::Condition& condition : status.conditions) {
    conditions.push_back({{"reason", condition.reason},
                          {"message", condition.message},
                          {"lastTransitionTime", condition.since}});
  }
  return {{"namespace", status.csv.ns},
          {"name", status.csv.name},
          {"phase", status.phase},
          {"cleanupEnabled", status.enabled},
          {"optedIn", status.opted_in},
          {"targetNamespaces", TargetsJson(status.targets)},
          {"definitions", json::array(status.resources.begin(), status.resources.end())},
          {"pending", status.pending_count},
          {"startedAt", status.started_at},
          {"stalledSince", status.stalled_since},
          {"blockers", std::move(blockers)},
          {"conditions", std::move(conditions)}};
}

// Adds the operator to `items`.
StatusTask ShowNamed(Session& session, kube::NamespacedName name, json::array& items) {
  const absl::StatusOr<CleanupStatus> read = co_await ReadCleanupStatus(session.client, name);
  if (!read.ok()) {
    const absl::StatusOr<Csv> csv = co_await ReadOriginal(session.client, name, "status");
    co_return ExitOf(csv.status()) == Exit::kRefused ? csv.status() : read.status();
  }
  const CleanupStatus& status = *read;
  ShowOne(session, status);
  json::object item = StatusJson(status);
  const std::vector<HeldOperand> held = co_await FindHeld(session, status);
  if (!held.empty()) session.terminal.Line("Waited for longest:", Style::kFaint);
  PrintHeld(session.terminal, held, Style::kPlain);
  item["holding"] = HeldJson(held);
  items.push_back(std::move(item));
  co_return absl::OkStatus();
}

// Shows all that can be read. The first error of one that cannot be read is the result.
StatusTask ShowAllNamed(Session& session, const StatusOptions& options) {
  json::array items;
  absl::Status first;
  for (const std::string& name : options.names) {
    if (&name != &options.names.front()) session.terminal.Line("");
    kube::NamespacedName csv{options.ns, name};
    first.Update(co_await ShowNamed(session, std::move(csv), items));
  }
  if (!items.empty()) session.document["items"] = std::move(items);
  co_return first;
}

class StatusCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    AddCsvArguments(app, options_.names, "ClusterServiceVersions; else all of the namespace");
    AddAllNamespacesFlag(app, all_namespaces_, "Of all namespaces");
    FlagAdder flags(app);
    flags.Text("-l,--selector", options_.selector, "Only those whose labels it selects");
    flags.Switch("--no-headers", no_headers_, "Print a table without its first line");
  }
  absl::Status Check(const CommonFlags&) const override {
    if (options_.names.empty() || (!all_namespaces_ && options_.selector.empty())) {
      return absl::OkStatus();
    }
    return absl::InvalidArgumentError("names go with neither --all-namespaces nor --selector");
  }
  StatusTask Run(Session& session) override {
    options_.ns = all_namespaces_ ? "" : session.ns;
    options_.headers = !no_headers_;
    return ShowStatus(session, options_);
  }

 private:
  StatusOptions options_;
  bool all_namespaces_ = false;
  bool no_headers_ = false;
};

}  // namespace

StatusTask ShowStatus(Session& session, StatusOptions options) {
  if (!options.names.empty()) co_return co_await ShowAllNamed(session, options);
  CO_ASSIGN_OR_RETURN(const std::vector<CleanupStatus> statuses,
                      co_await ListCleanupStatuses(session.client, options.ns, options.selector));
  ShowTable(session, statuses, options);
  json::array items;
  for (const CleanupStatus& status : statuses) items.push_back(StatusJson(status));
  session.document["items"] = std::move(items);
  co_return absl::OkStatus();
}

KnownCommand KnownStatus() {
  return {.name = "status",
          .description = "Show how far cleanups are, and what stands against them",
          .report = "StatusReport",
          .examples = {{"Show all operators of the cluster", "status -A"},
                       {"Show what one waits for", "status widgets.v1.2.3 -n operators"},
                       {"Name those that have stalled",
                        R"(status -A -o jsonpath='{.items[?(@.phase=="Stalled")].name}')"}},
          .names = CsvNamesOf,
          .make = [] { return std::make_unique<StatusCommand>(); }};
}

}  // namespace steward::plugin
