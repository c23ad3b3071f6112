#include "plugin/abort.h"

#include <boost/json/object.hpp>
#include <utility>

#include "base/flags/duration.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/copy.h"
#include "plugin/csv.h"
#include "plugin/exit.h"
#include "plugin/follow.h"
#include "plugin/progress.h"
#include "plugin/reads.h"
#include "plugin/terminal.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr absl::Duration kGlance = absl::Milliseconds(500);

absl::Status Ask(Session& session, const std::string& question) {
  if (session.yes) return absl::OkStatus();
  if (!session.terminal.can_ask()) {
    return Misused("there is no terminal to ask on; say --yes to go on without being asked");
  }
  if (!session.terminal.Ask(question)) return Refused("nothing was changed");
  return absl::OkStatus();
}

// Until Steward has let go of the object, or the object is gone.
StatusTask WaitUntilReleased(Session& session, olm::CsvFacts facts, Deadline deadline) {
  const absl::Duration began = session.clock.Monotonic();
  while (true) {
    const absl::StatusOr<Csv> csv = co_await ReadCsv(session.client, facts.key);
    if (IsAbsent(csv.status(), facts.key.name)) break;
    if (csv.ok() && csv->facts.uid != facts.uid) break;
    if (csv.ok() && !csv->facts.HasFinalizer(olm::kCleanupFinalizer)) break;
    if (!csv.ok() && !IsPassing(csv.status())) co_return csv.status();
    if (deadline.Passed()) {
      co_return Stalled(
          StrCat("called off, but Steward's controllers have not let go of it within ",
                 DurationText(deadline.limit()),
                 ". Are they running? Nothing is deleted any more, whether they are or not"));
    }
    session.terminal.Draw("Waiting for Steward's controllers to let go of it",
                          ElapsedText(session.clock.Monotonic() - began));
    co_await session.clock.Sleep(kGlance);
  }
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
  CO_RETURN_IF_ERROR(Ask(session, question));
  const absl::Status status =
      co_await DisableCleanup(session.client, options.csv, csv.facts.uid, /*dry_run=*/false);
  if (IsForbidden(status)) co_return Refused(ToStd(status.message()));
  if (!IsAbsent(status, options.csv.name)) CO_RETURN_IF_ERROR(status);
  session.document["aborted"] = true;
  session.terminal.Line("Called the cleanup off (spec.cleanup.enabled: false)");
  if (!options.wait) co_return absl::OkStatus();
  const Deadline deadline(session.clock, options.timeout);
  co_return co_await WaitUntilReleased(session, csv.facts, deadline);
}

StatusTask CallOffOptIn(Session& session, AbortOptions options, Csv csv) {
  const std::string question = StrCat("Keep the custom resources of ", options.csv.ns, "/",
                                      options.csv.name, " when it is uninstalled?");
  CO_RETURN_IF_ERROR(Ask(session, question));
  const absl::Status status =
      co_await OptOut(session.client, options.csv, csv.facts.uid, /*dry_run=*/false);
  if (IsForbidden(status)) co_return Refused(ToStd(status.message()));
  CO_RETURN_IF_ERROR(status);
  session.document["aborted"] = true;
  session.terminal.Line("Removed the opt-in to cleanup; nothing had been deleted", Style::kGood);
  co_return absl::OkStatus();
}

}  // namespace

StatusTask Abort(Session& session, AbortOptions options) {
  CO_ASSIGN_OR_RETURN(Csv csv, co_await ReadCsv(session.client, options.csv));
  session.document["clusterServiceVersion"] = json::object(
      {{"namespace", options.csv.ns}, {"name", options.csv.name}, {"uid", csv.facts.uid}});
  session.document["aborted"] = false;
  session.document["deleting"] = csv.facts.deleting();
  if (!csv.facts.HasFinalizer(olm::kCleanupFinalizer)) {
    session.terminal.Line("There is nothing to call off: nobody opted in to cleanup");
    co_return absl::OkStatus();
  }
  if (csv.facts.deleting()) co_return co_await CallOffDeletion(session, options, std::move(csv));
  co_return co_await CallOffOptIn(session, options, std::move(csv));
}

}  // namespace steward::plugin
