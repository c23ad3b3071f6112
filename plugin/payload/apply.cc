#include "plugin/payload/apply.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
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

#include "absl/status/status.h"
#include "base/flags/flag_adder.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/payload/payload.h"
#include "olm/payload/payload_record.h"
#include "olm/payload/removal.h"
#include "payload/payload_flags.h"
#include "payload/payload_folder.h"
#include "payload/payload_pass.h"
#include "payload/payload_preview.h"
#include "payload/record_store.h"
#include "plugin/command/confirm.h"
#include "plugin/command/exit.h"
#include "plugin/payload/payload_source.h"
#include "plugin/payload/preview_text.h"
#include "plugin/terminal/printer.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace json = boost::json;
namespace {

using payload::TaskReport;
using Action = TaskReport::Action;

constexpr size_t kBarWidth = 20;

absl::Status RefuseUpdate(Session& session, const std::string& version,
                          const std::vector<std::string>& reasons) {
  for (const std::string& each : reasons) {
    session.terminal.Line(StrCat("refused: ", each), Style::kBad);
  }
  session.document["reasons"] = json::array(reasons.begin(), reasons.end());
  return Refused(StrCat("the payload ", version, " was not begun, for ",
                        CountText(static_cast<int64_t>(reasons.size()), "reason")));
}

// Shows the progress of an apply: a bar on a terminal, otherwise a line per changed object.
class ApplyProgress {
 public:
  // REQUIRES: both outlive this object.
  ApplyProgress(Session& session, const payload::RecordStore& record)
      : session_(session), record_(record) {}

  // Returns an observer. REQUIRES: this object outlives the observer.
  payload::PassObserver Observer() {
    payload::PassObserver observer;
    observer.begins = [this](olm::PayloadState, size_t tasks) {
      total_ = tasks;
      begun_ = true;
      Draw("");
    };
    observer.removal = [this](const olm::Removal& removal) {
      // A note means that there was no object, so nothing was changed.
      if (removal.note.empty()) changed_.insert(removal.identity);
    };
    observer.dropped = [this](const olm::Removal& removal) {
      session_.terminal.Note(StrCat("no longer removed ", removal.identity.ToString(),
                                    ": nothing asks for it any more"),
                             Style::kWarning);
    };
    observer.waits = [this](const olm::PayloadIdentity& identity, const std::string& lack) {
      const std::string text = StrCat("waiting for ", identity.ToString(), ": ", lack);
      if (!session_.terminal.live()) session_.terminal.Note(text);
      Draw(text);
    };
    observer.done = [this](const TaskReport& report) { Take(report); };
    return observer;
  }

  bool begun() const { return begun_; }

  // Ends the drawing and prints the totals.
  void End(std::string_view version, olm::PayloadState state, size_t not_begun) {
    session_.terminal.Keep();
    std::vector<std::pair<std::string, size_t>> counts;
    for (const Action action :
         {Action::kCreated, Action::kUpdated, Action::kUnchanged, Action::kLeft, Action::kRemoved,
          Action::kRemoving, Action::kKept, Action::kFailed}) {
      counts.emplace_back(NameOf(action), counts_[action]);
    }
    counts.emplace_back("not begun", not_begun);
    json::object document;
    for (const auto& [name, count] : counts) document[name] = count;
    session_.document["version"] = version;
    session_.document["state"] = NameOf(state);
    session_.document["counts"] = std::move(document);
    session_.document["objects"] = std::move(objects_);
    session_.terminal.Line(Summary(version, state, counts));
  }

 private:
  void Take(const TaskReport& report) {
    ++done_;
    ++counts_[report.action];
    std::string note(ToStd(report.error.message()));
    Style style = Style::kPlain;
    bool told = false;
    switch (report.action) {
      case Action::kUnchanged:
      case Action::kLeft:
        break;
      case Action::kCreated:
      case Action::kUpdated:
      case Action::kRemoving:
        told = !session_.terminal.live();
        break;
      case Action::kRemoved:
        told = !session_.terminal.live() && changed_.contains(report.identity);
        break;
      case Action::kKept: {
        const std::optional<olm::Removal> removal = record_.record().Find(report.identity);
        if (removal) note = removal->note;
        told = removal.has_value();
        style = Style::kWarning;
        break;
      }
      case Action::kFailed:
        told = true;
        style = Style::kBad;
        break;
    }
    const std::string identity = report.identity.ToString();
    if (told) {
      session_.terminal.Line(
          StrCat(NameOf(report.action), " ", identity, note.empty() ? "" : ": ", note), style);
    }
    if (told || report.action == Action::kCreated || report.action == Action::kUpdated ||
        report.action == Action::kRemoving || changed_.contains(report.identity)) {
      json::object one = IdentityJson(report.identity, report.where);
      one["did"] = NameOf(report.action);
      one["message"] = note;
      objects_.push_back(std::move(one));
    }
    Draw(identity);
  }

  void Draw(const std::string& aside) {
    if (total_ == 0) return;
    const auto done = static_cast<int64_t>(done_);
    const auto total = static_cast<int64_t>(total_);
    const bool ends = done == total;
    const Terminal::Row row = {{Bar(done, total, kBarWidth), ends ? Style::kGood : Style::kStrong},
                               {StrCat("  ", done, " of ", total)},
                               {ends || aside.empty() ? "" : StrCat("  ", aside), Style::kFaint}};
    session_.terminal.Draw(std::vector<Terminal::Row>{row});
  }

  Session& session_;
  const payload::RecordStore& record_;
  bool begun_ = false;
  size_t total_ = 0;
  size_t done_ = 0;
  std::map<Action, size_t> counts_;
  std::set<olm::PayloadIdentity> changed_;  // objects whose removal advanced in this pass
  json::array objects_;
};

class ApplyCommand : public PayloadCommand {
 public:
  void AddFlags(CLI::App& app) override {
    PayloadCommand::AddFlags(app);
    FlagAdder adder(app);
    payload::AddDeletionFlags(adder, flags());
    payload::AddWaitFlag(adder, flags());
    payload::AddForceFlag(adder, flags(), "--force");
  }

 protected:
  StatusTask Work(Session& session, const payload::PassDeps& deps, const payload::Release& release,
                  const payload::PayloadOptions& options) override {
    CO_RETURN_IF_ERROR(co_await Agree(session, deps, release, options));
    ApplyProgress progress(session, deps.record);
    const payload::PassObserver observer = progress.Observer();
    payload::PayloadPass pass(deps, release, options, observer);
    const payload::PassResult result = co_await pass.Run(/*check_rights=*/true);
    const std::string version = payload::VersionOf(release, options);
    CO_RETURN_IF_ERROR(RefuseFaults(session, result.faults));
    if (!result.refused.empty()) co_return RefuseUpdate(session, version, result.refused);
    if (!progress.begun()) co_return result.error;
    progress.End(version, result.state, result.not_begun);
    for (const std::string& each : result.warnings) {
      session.terminal.Note(StrCat("warning: ", each), Style::kWarning);
    }
    const std::string holding = olm::HoldingSentence(deps.record.record());
    if (!holding.empty()) {
      session.terminal.Note(StrCat("Minor updates wait: ", holding), Style::kWarning);
    }
    CO_RETURN_IF_ERROR(result.error);
    if (result.failed.empty()) co_return absl::OkStatus();
    co_return absl::AbortedError(
        StrCat(CountText(static_cast<int64_t>(result.failed.size()), "object"),
               " failed; run it again to go on"));
  }

 private:
  // Asks the user before anything is deleted.
  StatusTask Agree(Session& session, const payload::PassDeps& deps, const payload::Release& release,
                   const payload::PayloadOptions& options) {
    const std::vector<olm::PayloadManifest>& manifests = release.payload.manifests;
    const bool deletes = std::any_of(manifests.begin(), manifests.end(),
                                     [](const auto& each) { return each.deletes; });
    if (!deletes) co_return absl::OkStatus();
    CO_ASSIGN_OR_RETURN(const payload::Preview preview,
                        co_await payload::MakePreview(deps, release, options));
    CO_RETURN_IF_ERROR(RefuseFaults(session, preview.faults));
    if (!preview.preconditions.empty() && !options.force) {
      co_return RefuseUpdate(session, preview.version, preview.preconditions);
    }
    int64_t deleted = 0;
    for (const PreviewedLine& line : LinesOf(release, preview)) {
      if (line.object.action != payload::PreviewAction::kDelete) continue;
      session.terminal.Line(line.ToString(), line.style());
      ++deleted;
    }
    if (deleted == 0) co_return absl::OkStatus();
    co_return Confirm(session, StrCat("Apply the payload ", preview.version, " and delete ",
                                      CountText(deleted, "object"), "?"));
  }
};

}  // namespace

KnownCommand KnownPayloadApply() {
  return {.name = "apply",
          .description = "Bring the cluster to what a payload says, once, with your own rights",
          .report = "PayloadApply",
          .examples = {{"Bring the cluster to what a release ships",
                        "payload apply ./release-manifests"}},
          .asks = true,
          .make = [] { return std::make_unique<ApplyCommand>(); }};
}

}  // namespace steward::plugin
