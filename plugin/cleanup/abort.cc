#include "plugin/cleanup/abort.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <memory>
#include <utility>

#include "base/flags/duration.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"
#include "plugin/cleanup/original.h"
#include "plugin/cluster/csv.h"
#include "plugin/command/arguments.h"
#include "plugin/command/confirm.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

constexpr absl::Duration kPause = absl::Milliseconds(500);

// The wait until Steward has released the object, or the object is gone.
class Release : public Awaited {
 public:
  Release(Session& session, const olm::CsvFacts& facts) : session_(session), facts_(facts) {}

  Task<bool> IsDone(absl::Duration) override {
    const absl::StatusOr<Csv> csv = co_await ReadCsv(session_.client, facts_.key);
    if (csv.ok()) {
      co_return csv->facts.uid != facts_.uid || !csv->facts.HasFinalizer(olm::kCleanupFinalizer);
    }
    if (kube::IsNotFound(csv.status(), facts_.key.name)) co_return true;
    if (!kube::IsTransient(csv.status())) co_return csv.status();
    co_return false;
  }
  void Show(absl::Duration waited) override {
    session_.terminal.Draw("Waiting for Steward's controllers to let go of it",
                           ElapsedText(waited));
  }
  absl::Status OutOfTime(absl::Duration, absl::Duration limit) override {
    return Stalled(StrCat("called off, but Steward's controllers have not let go of it within ",
                          DurationText(limit),
                          ". Are they running? Nothing is deleted any more, whether they are or "
                          "not"));
  }

 private:
  Session& session_;
  const olm::CsvFacts& facts_;
};

StatusTask WaitUntilReleased(Session& session, olm::CsvFacts facts, Deadline deadline) {
  Release release(session, facts);
  CO_RETURN_IF_ERROR(co_await WaitFor(session, release, deadline, kPause));
  session.terminal.Clear();
  session.terminal.Line("Steward has let go of it; what was deleted until then stays deleted",
                        Style::kGood);
  co_return absl::OkStatus();
}

StatusTask CallOffDeletion(Session& session, AbortOptions options, Csv csv) {
  const std::string question =
      StrCat(options.csv.ns, "/", options.csv.name,
             " is being uninstalled. Stop deleting its custom resources? What is deleted already "
             "stays deleted, and the operator goes.");
  CO_RETURN_IF_ERROR(Confirm(session, question));
  const absl::Status status =
      co_await DisableCleanup(session.client, options.csv, csv.facts.uid, /*dry_run=*/false);
  if (!kube::IsNotFound(status, options.csv.name)) CO_RETURN_IF_ERROR(status);
  session.document["aborted"] = true;
  session.terminal.Line("Called the cleanup off (spec.cleanup.enabled: false)");
  if (!options.wait) co_return absl::OkStatus();
  const Deadline deadline(session.clock, options.timeout);
  co_return co_await WaitUntilReleased(session, csv.facts, deadline);
}

StatusTask CallOffOptIn(Session& session, AbortOptions options, Csv csv) {
  const std::string question = StrCat("Keep the custom resources of ", options.csv.ns, "/",
                                      options.csv.name, " when it is uninstalled?");
  CO_RETURN_IF_ERROR(Confirm(session, question));
  const absl::Status status =
      co_await OptOut(session.client, options.csv, csv.facts.uid, /*dry_run=*/false);
  CO_RETURN_IF_ERROR(status);
  session.document["aborted"] = true;
  session.terminal.Line("Removed the opt-in to cleanup; nothing had been deleted", Style::kGood);
  co_return absl::OkStatus();
}

class AbortCommand : public Command {
 public:
  void AddFlags(CLI::App& app) override {
    AddCsvArgument(app, options_.csv.name, "The ClusterServiceVersion of the operator")->required();
    AddWaitingFlags(app, options_.wait, options_.timeout);
  }
  StatusTask Run(Session& session) override {
    options_.csv.ns = session.ns;
    return Abort(session, options_);
  }

 private:
  AbortOptions options_;
};

}  // namespace

StatusTask Abort(Session& session, AbortOptions options) {
  CO_ASSIGN_OR_RETURN(Csv csv, co_await ReadOriginal(session.client, options.csv, "abort"));
  session.document["clusterServiceVersion"] = IdentityJson(csv.facts);
  session.document["aborted"] = false;
  session.document["deleting"] = csv.facts.deleting();
  if (!csv.facts.HasFinalizer(olm::kCleanupFinalizer)) {
    session.terminal.Line("There is nothing to call off: nobody opted in to cleanup");
    co_return absl::OkStatus();
  }
  if (csv.facts.deleting()) co_return co_await CallOffDeletion(session, options, std::move(csv));
  co_return co_await CallOffOptIn(session, options, std::move(csv));
}

KnownCommand KnownAbort() {
  return {.name = "abort",
          .description = "Call a cleanup off: custom resources that are left are kept",
          .report = "AbortReport",
          .examples = {{"Keep what has not been deleted yet", "abort widgets.v1.2.3 -n operators"}},
          .asks = true,
          .make = [] { return std::make_unique<AbortCommand>(); }};
}

}  // namespace steward::plugin
