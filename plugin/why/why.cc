#include "plugin/why/why.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/decode.h"
#include "olm/objects.h"
#include "olm/presence.h"
#include "olm/targets.h"
#include "plugin/cluster/object_names.h"
#include "plugin/cluster/reads.h"
#include "plugin/cluster/resources.h"
#include "plugin/command/arguments.h"
#include "plugin/terminal/terminal.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;
using olm::Answer;

std::string_view Word(Answer answer) {
  switch (answer) {
    case Answer::kYes:
      return "yes";
    case Answer::kNo:
      return "no";
    case Answer::kUnknown:
      return "unknown";
  }
  return "";
}

Style StyleOf(Answer answer) {
  if (answer == Answer::kYes) return Style::kGood;
  return answer == Answer::kNo ? Style::kWarning : Style::kFaint;
}

// An operator that was found, with the facts that decide about it.
struct Candidate {
  olm::CsvPtr csv;
  std::optional<std::vector<olm::OperatorGroupPtr>> groups;
  std::optional<olm::TargetSummary> targets;
  std::vector<olm::InstallModeSupport> modes;
  olm::Presence presence;
};

// Reads the facts that decide, each namespace once.
class Reader {
 public:
  Reader(Session& session, std::string ns) : client_(session.client), ns_(std::move(ns)) {}

  // Reads the namespace's labels; nullopt if the user may not.
  StatusTask ReadNamespace() {
    const kube::NamespacedName name{"", ns_};
    const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kNamespaces, name);
    if (kube::IsForbidden(raw.status())) co_return absl::OkStatus();
    CO_RETURN_IF_ERROR(raw.status());
    CO_ASSIGN_OR_RETURN(const olm::NamespacePtr found, olm::DecodeNamespace(raw->json));
    labels_ = found->labels;
    co_return absl::OkStatus();
  }

  // The originals called `name`: in all namespaces if `everywhere` and the user may list them, else
  // in `homes`.
  Task<std::vector<olm::CsvPtr>> Originals(std::string name, std::set<std::string> homes,
                                           bool everywhere) {
    std::vector<olm::CsvPtr> found;
    if (everywhere) {
      const absl::Status all = co_await AddNamed("", name, found);
      if (all.ok() || !kube::IsForbidden(all)) {
        CO_RETURN_IF_ERROR(all);
        co_return found;
      }
    }
    for (const std::string& home : homes) {
      const absl::Status some = co_await AddNamed(home, name, found);
      if (!kube::IsForbidden(some)) CO_RETURN_IF_ERROR(some);
    }
    co_return found;
  }

  // Reads the facts that decide about an original.
  Task<Candidate> Complete(olm::CsvPtr csv) {
    Candidate candidate;
    const std::string home = csv->key.ns;
    candidate.csv = std::move(csv);
    CO_ASSIGN_OR_RETURN(candidate.groups, co_await GroupsOf(home));
    CO_ASSIGN_OR_RETURN(const json::value spec,
                        ParseObject(std::string(candidate.csv->spec_json.view())));
    candidate.modes = olm::InstallModesOf(spec.get_object());
    if (candidate.groups && candidate.groups->size() == 1) {
      CO_ASSIGN_OR_RETURN(candidate.targets, co_await TargetsOf(*candidate.groups->front(), home));
    }
    co_return candidate;
  }

  olm::PresenceInputs InputsFor(const Candidate& candidate) const {
    return {.csv = candidate.csv.get(),
            .ns = ns_,
            .labels = labels_,
            .groups = candidate.groups,
            .modes = candidate.modes,
            .targets = candidate.targets};
  }

 private:
  StatusTask AddNamed(std::string home, std::string name, std::vector<olm::CsvPtr>& found) {
    kube::ListOptions options;
    options.ns = std::move(home);
    options.field_selector = StrCat("metadata.name=", name);
    options.label_selector = "!olm.copiedFrom";
    options.limit = 500;
    const auto take = [&](const kube::RawObject& raw) -> absl::Status {
      ASSIGN_OR_RETURN(olm::CsvPtr csv, olm::DecodeCsv(raw.json));
      if (!csv->copied && csv->key.name == name) found.push_back(std::move(csv));
      return absl::OkStatus();
    };
    co_return co_await kube::VisitAll(client_, kCsvs, std::move(options), take);
  }

  Task<std::optional<std::vector<olm::OperatorGroupPtr>>> GroupsOf(std::string home) {
    const auto known = groups_.find(home);
    if (known != groups_.end()) co_return known->second;
    std::vector<olm::OperatorGroupPtr> groups;
    const auto take = [&groups](const kube::RawObject& raw) -> absl::Status {
      ASSIGN_OR_RETURN(olm::OperatorGroupPtr group, olm::DecodeOperatorGroup(raw.json));
      groups.push_back(std::move(group));
      return absl::OkStatus();
    };
    const absl::Status read =
        co_await VisitAll(client_, kOperatorGroups, home, /*metadata_only=*/false, take);
    std::optional<std::vector<olm::OperatorGroupPtr>> result;
    if (!kube::IsForbidden(read)) {
      CO_RETURN_IF_ERROR(read);
      result = std::move(groups);
    }
    groups_[home] = result;
    co_return result;
  }

  // Counts the target namespaces of a group. For a selector, they have to be listed.
  Task<std::optional<olm::TargetSummary>> TargetsOf(const olm::OperatorGroup& group,
                                                    std::string home) {
    std::set<std::string> names(group.target_namespaces.begin(), group.target_namespaces.end());
    const olm::TargetKind kind = olm::KindOfTargets(group);
    if (kind == olm::TargetKind::kAll) co_return olm::TargetSummary{.all = true};
    if (kind == olm::TargetKind::kSelector) {
      const auto take = [&names](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(const kube::NamespacedName name, olm::DecodeKey(raw.json));
        names.insert(name.name);
        return absl::OkStatus();
      };
      const absl::Status listed = co_await VisitAll(
          client_, kNamespaces, "", /*metadata_only=*/true, take, group.selector->ToString());
      if (kube::IsForbidden(listed)) co_return std::optional<olm::TargetSummary>();
      CO_RETURN_IF_ERROR(listed);
    }
    co_return olm::TargetSummary{.count = names.size(), .includes_own = names.contains(home)};
  }

  kube::Client& client_;
  const std::string ns_;
  std::optional<kube::LabelMap> labels_;
  std::map<std::string, std::optional<std::vector<olm::OperatorGroupPtr>>> groups_;
};

// An InstalledOperator that the namespace shows, and the origin of it.
struct Shown {
  std::string name;
  std::string home;
  std::set<std::string> others;  // namespaces of further installs with this name, which it hides
};

absl::StatusOr<Shown> DecodeShown(std::string_view text) {
  ASSIGN_OR_RETURN(const json::value object, ParseObject(text));
  ASSIGN_OR_RETURN(const kube::NamespacedName name, olm::DecodeKey(text));
  Shown shown{name.name, "", {}};
  const json::object* scope = ObjectAt(object.get_object(), "scope");
  if (scope == nullptr) return shown;
  shown.home = StringAt(*scope, "installNamespace");
  const json::array* conflicts = ArrayAt(*scope, "conflicts");
  for (const json::value& each : conflicts == nullptr ? json::array() : *conflicts) {
    if (each.is_object()) shown.others.emplace(StringAt(each.get_object(), "installNamespace"));
  }
  return shown;
}

// Reads all InstalledOperators of the namespace, or the one that `options` name.
Task<std::vector<Shown>> ReadShown(Session& session, WhyOptions options) {
  std::vector<Shown> all;
  const auto take = [&](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(Shown shown, DecodeShown(raw.json));
    if (options.csv.empty() || shown.name == options.csv) all.push_back(std::move(shown));
    return absl::OkStatus();
  };
  CO_RETURN_IF_ERROR(co_await VisitAll(session.client, kInstalledOperators, options.ns,
                                       /*metadata_only=*/false, take));
  co_return all;
}

void Explain(const Reader& reader, std::vector<Candidate>& candidates) {
  std::vector<olm::PresenceInputs> inputs;
  for (const Candidate& each : candidates) inputs.push_back(reader.InputsFor(each));
  std::vector<olm::Presence> presences = olm::ExplainPresences(std::move(inputs));
  for (size_t i = 0; i < candidates.size(); ++i) candidates[i].presence = std::move(presences[i]);
}

std::string Headline(const Candidate& candidate, const std::string& ns) {
  const auto sentence = [](Answer answer, const char* yes, const char* no, const char* unknown) {
    return answer == Answer::kYes ? yes : answer == Answer::kNo ? no : unknown;
  };
  const olm::Presence& presence = candidate.presence;
  return StrCat(candidate.csv->key.ns, "/", candidate.csv->key.name, " ",
                sentence(presence.watches, "watches ", "does not watch ", "may watch "), ns,
                sentence(presence.shown, ", which shows it", ", which does not show it",
                         ", which may show it"));
}

void Print(Session& session, const Candidate& candidate, const std::string& ns) {
  session.terminal.Line(Headline(candidate, ns), Style::kStrong);
  for (const olm::PresenceFinding& each : candidate.presence.findings) {
    std::string word(Word(each.answer));
    word.resize(9, ' ');
    session.terminal.Line(
        Terminal::Row{{StrCat("  ", word), StyleOf(each.answer)}, {each.text, Style::kPlain}});
  }
}

json::object Document(const Candidate& candidate) {
  json::array findings;
  for (const olm::PresenceFinding& each : candidate.presence.findings) {
    findings.push_back(
        {{"rule", each.rule}, {"answer", std::string(Word(each.answer))}, {"message", each.text}});
  }
  return {{"namespace", candidate.csv->key.ns},
          {"name", candidate.csv->key.name},
          {"watches", std::string(Word(candidate.presence.watches))},
          {"shown", std::string(Word(candidate.presence.shown))},
          {"findings", std::move(findings)}};
}

// Prints an operator that the namespace shows, if the user may read nothing else of it.
void PrintUnread(Session& session, const Shown& shown, const std::string& ns, json::array& items) {
  session.terminal.Line(StrCat(shown.home, "/", shown.name, " is shown by ", ns), Style::kStrong);
  session.terminal.Line(StrCat("  unknown  Nothing of ", shown.home, " may be read"));
  items.push_back(json::object{{"namespace", shown.home},
                               {"name", shown.name},
                               {"watches", "unknown"},
                               {"shown", "yes"},
                               {"findings", json::array()}});
}

class WhyCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    app.add_option("NAMESPACE", options_.ns, "The namespace that is asked about")->required();
    AddCsvArgument(app, options_.csv, "One operator; else all that the namespace shows");
  }
  absl::Status Check(const CommonFlags&) const override {
    if (kube::IsDns1123Label(options_.ns)) return absl::OkStatus();
    return absl::InvalidArgumentError(StrCat("\"", options_.ns, "\" is no namespace's name"));
  }
  StatusTask Run(Session& session) override { return ExplainWhy(session, options_); }

 private:
  WhyOptions options_;
};

}  // namespace

StatusTask ExplainWhy(Session& session, WhyOptions options) {
  Reader reader(session, options.ns);
  CO_RETURN_IF_ERROR(co_await reader.ReadNamespace());
  CO_ASSIGN_OR_RETURN(std::vector<Shown> shown, co_await ReadShown(session, options));
  if (shown.empty() && !options.csv.empty()) shown.push_back({options.csv, "", {}});
  json::array items;
  for (const Shown& each : shown) {
    std::set<std::string> homes = each.others;
    homes.insert(each.home.empty() ? options.ns : each.home);
    CO_ASSIGN_OR_RETURN(std::vector<olm::CsvPtr> originals,
                        co_await reader.Originals(each.name, std::move(homes),
                                                  /*everywhere=*/!options.csv.empty()));
    std::vector<Candidate> candidates;
    for (olm::CsvPtr& original : originals) {
      CO_ASSIGN_OR_RETURN(Candidate candidate, co_await reader.Complete(std::move(original)));
      candidates.push_back(std::move(candidate));
    }
    Explain(reader, candidates);
    for (const Candidate& candidate : candidates) {
      // If the user names no operator, leave out operators that the namespace does not show.
      if (options.csv.empty() && candidate.presence.shown == Answer::kNo) continue;
      Print(session, candidate, options.ns);
      items.push_back(Document(candidate));
    }
    if (candidates.empty() && !each.home.empty()) PrintUnread(session, each, options.ns, items);
  }
  if (items.empty() && !options.csv.empty()) {
    co_return absl::NotFoundError(StrCat("no operator ", options.csv, " that you may read"));
  }
  if (items.empty()) session.terminal.Note(StrCat("No operators found in ", options.ns));
  session.document["targetNamespace"] = options.ns;
  session.document["items"] = std::move(items);
  co_return absl::OkStatus();
}

KnownCommand KnownWhy() {
  return {.name = "why",
          .description = "Say why operators watch a namespace, or do not",
          .report = "WhyReport",
          .examples = {{"Explain all operators that a namespace shows", "why team-a"},
                       {"Ask why one does not watch it", "why team-a widgets.v1.2.3"}},
          .names = CsvNamesOf,
          .make = [] { return std::make_unique<WhyCommand>(); }};
}

}  // namespace steward::plugin
