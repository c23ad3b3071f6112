#include "plugin/ready.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/flags/duration.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/status.h"
#include "plugin/cleanup_status.h"
#include "plugin/exit.h"
#include "plugin/progress.h"
#include "plugin/reads.h"
#include "plugin/terminal.h"

namespace steward::plugin {
namespace {

constexpr absl::Duration kGlance = absl::Seconds(1);
// Controllers that run take less.
constexpr absl::Duration kUsual = absl::Seconds(20);

std::string BlockersText(const CleanupStatus& status) {
  std::vector<std::string> texts;
  for (const CleanupStatus::Blocker& blocker : status.blockers) {
    texts.push_back(DescribeBlocker(blocker));
  }
  return absl::StrJoin(texts, "; ");
}

// True for "Ready"; false when it has to be waited for.
absl::StatusOr<bool> Judge(const ReadyQuestion& question, const CleanupStatus& status) {
  if (status.phase == "Refused" || status.phase == "Unknown") {
    return Refused(StrCat(status.phase == "Refused" ? "Steward would not clean up: "
                                                    : "Steward cannot tell whether to clean up: ",
                          BlockersText(status), ". The operator was not deleted"));
  }
  // The caches of the API server may be a moment behind.
  if (!status.opted_in || status.phase != "Ready") return false;
  if (status.targets.IsSubsetOf(question.targets)) return true;
  return Refused(
      "the operator works in more namespaces now than were shown; look at it again. It "
      "was not deleted");
}

// Whether all of the operator's cluster-wide rights and webhooks that can be seen are held.
Task<bool> RightsAreHeld(kube::Client& client, kube::NamespacedName csv) {
  bool all_held = true;
  const auto look = [&all_held, &csv](const kube::RawObject& raw) -> absl::Status {
    ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
    if (olm::OwnerOf(facts.labels) == csv && !facts.HasFinalizer(olm::kHoldFinalizer)) {
      all_held = false;
    }
    return absl::OkStatus();
  };
  for (const kube::GroupVersionResource& gvr : olm::HeldResources()) {
    const absl::Status status = co_await VisitAll(client, gvr, "", /*metadata_only=*/true, look);
    if (!status.ok() && !IsForbidden(status) && !IsUnserved(status)) {
      co_return While(StrCat("listing ", gvr.GroupResource()), status);
    }
  }
  co_return all_held;
}

}  // namespace

Task<bool> IsReady(Session& session, ReadyQuestion question, Csv now) {
  CO_ASSIGN_OR_RETURN(const CleanupStatus status,
                      co_await ReadCleanupStatus(session.client, question.csv));
  CO_ASSIGN_OR_RETURN(const bool ready, Judge(question, status));
  if (!ready || now.Find(olm::kRightsHeld) == nullptr) co_return false;
  co_return co_await RightsAreHeld(session.client, question.csv);
}

StatusTask WaitUntilReady(Session& session, ReadyQuestion question, Deadline deadline) {
  const absl::Duration began = session.clock.Monotonic();
  bool said = false;
  while (true) {
    absl::Status trouble;
    const absl::StatusOr<Csv> csv = co_await ReadCsv(session.client, question.csv);
    if (!csv.ok()) {
      trouble = csv.status();
    } else if (csv->facts.uid != question.uid || csv->facts.deleting()) {
      co_return absl::OkStatus();  // the next step finds out, and judges
    } else {
      const absl::StatusOr<bool> ready = co_await IsReady(session, question, *csv);
      if (ready.ok() && *ready) co_return absl::OkStatus();
      trouble = ready.status();
    }
    if (!trouble.ok() && (!IsPassing(trouble) || ExitOf(trouble) != Exit::kError)) {
      co_return trouble;
    }
    const absl::Duration waited = session.clock.Monotonic() - began;
    const std::string state =
        trouble.ok() ? "Waiting for Steward's controllers to hold the operator's rights"
                     : StrCat("No answer, trying again: ", ToStd(trouble.message()));
    if (deadline.Passed()) {
      co_return Stalled(StrCat("not ready within ", DurationText(deadline.limit()), ": ", state,
                               ". Are they running? It is opted in and was not deleted; the same "
                               "command goes on, and \"kubectl steward abort\" opts out"));
    }
    session.terminal.Draw(state, ElapsedText(waited));
    if (!said && waited > kUsual) {
      session.terminal.Line(StrCat(state, "; are they running?"), Style::kWarning);
      said = true;
    }
    co_await session.clock.Sleep(kGlance);
  }
}

absl::Status ExplainOptInDenied(const absl::Status& denied) {
  return Refused(
      StrCat("you may not change the opt-in to cleanup: ", ToStd(denied.message()),
             ". Who may: cluster-admins, and whom one of them binds to the role for it: kubectl "
             "create clusterrolebinding NAME --clusterrole=steward-cleanup-opt-in --user=USER"));
}

}  // namespace steward::plugin
