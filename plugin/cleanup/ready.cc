#include "plugin/cleanup/ready.h"

#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/flags/duration.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/client/client.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/csv_facts.h"
#include "plugin/cluster/cleanup_status.h"
#include "plugin/cluster/reads.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

// With controllers running, it takes less than this.
constexpr absl::Duration kUsual = absl::Seconds(20);

std::string BlockersText(const CleanupStatus& status) {
  std::vector<std::string> texts;
  for (const CleanupStatus::Blocker& blocker : status.blockers) {
    texts.push_back(DescribeBlocker(blocker));
  }
  return absl::StrJoin(texts, "; ");
}

// Returns true if the phase is "Ready" and the opt-in was seen; false while the command has to
// wait.
absl::StatusOr<bool> Judge(const ReadyQuestion& question, const CleanupStatus& status) {
  if (status.phase == "Refused" || status.phase == "Unknown") {
    return Refused(StrCat(status.phase == "Refused" ? "Steward would not clean up: "
                                                    : "Steward cannot tell whether to clean up: ",
                          BlockersText(status), ". The operator was not deleted"));
  }
  // The caches of the API server may lag a moment behind.
  if (!status.opted_in || status.phase != "Ready") return false;
  RETURN_IF_ERROR(CheckTargets(question.agreed, status.targets));
  return true;
}

// Returns true if all cluster-wide rights and webhooks of the operator that the user may list are
// held.
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
    if (!status.ok() && !kube::IsForbidden(status) && !kube::IsNotServed(status)) {
      co_return WithContext(StrCat("listing ", gvr.GroupResource()), status);
    }
  }
  co_return all_held;
}

class Readiness : public Awaited {
 public:
  Readiness(Session& session, ReadyQuestion question)
      : session_(session), question_(std::move(question)) {}

  Task<bool> IsDone(absl::Duration waited) override;
  void Show(absl::Duration waited) override;
  absl::Status OutOfTime(absl::Duration waited, absl::Duration limit) override;

 private:
  Task<bool> LookOnce();
  std::string State() const;

  Session& session_;
  const ReadyQuestion question_;
  absl::Status trouble_;  // the failure of the last look
  bool told_ = false;     // the user has been told that it takes long
};

Task<bool> Readiness::LookOnce() {
  CO_ASSIGN_OR_RETURN(const Csv csv, co_await ReadCsv(session_.client, question_.csv));
  // The next step of the command detects and handles this.
  if (csv.facts.uid != question_.uid || csv.facts.deleting()) co_return true;
  co_return co_await IsReady(session_, question_, csv);
}

Task<bool> Readiness::IsDone(absl::Duration) {
  const absl::StatusOr<bool> ready = co_await LookOnce();
  trouble_ = ready.status();
  if (ready.ok()) co_return *ready;
  if (!kube::IsTransient(trouble_) || ExitOf(trouble_) != Exit::kError) co_return trouble_;
  co_return false;
}

std::string Readiness::State() const {
  return trouble_.ok() ? "Waiting for Steward's controllers to hold the operator's rights"
                       : StrCat("No answer, trying again: ", ToStd(trouble_.message()));
}

void Readiness::Show(absl::Duration waited) {
  session_.terminal.Draw(State(), ElapsedText(waited));
  if (told_ || waited <= kUsual) return;
  session_.terminal.Note(StrCat(State(), "; are they running?"), Style::kWarning);
  told_ = true;
}

absl::Status Readiness::OutOfTime(absl::Duration, absl::Duration limit) {
  return Stalled(StrCat("not ready within ", DurationText(limit), ": ", State(),
                        ". Are they running? It is opted in and was not deleted; the same "
                        "command goes on, and \"kubectl steward abort\" opts out"));
}

}  // namespace

Task<bool> IsReady(Session& session, ReadyQuestion question, Csv now) {
  CO_RETURN_IF_ERROR(CheckOwned(question.agreed, now));
  CO_ASSIGN_OR_RETURN(const CleanupStatus status,
                      co_await ReadCleanupStatus(session.client, question.csv));
  CO_ASSIGN_OR_RETURN(const bool ready, Judge(question, status));
  if (!ready || now.Find(olm::kRightsHeld) == nullptr) co_return false;
  CO_ASSIGN_OR_RETURN(const bool held, co_await RightsAreHeld(session.client, question.csv));
  if (!held) co_return false;
  CO_RETURN_IF_ERROR(co_await CheckDefinitions(session.client, std::move(question.agreed)));
  co_return true;
}

StatusTask WaitUntilReady(Session& session, ReadyQuestion question, Deadline deadline) {
  Readiness readiness(session, std::move(question));
  co_return co_await WaitFor(session, readiness, deadline);
}

absl::Status ExplainOptInDenied(const absl::Status& denied) {
  return Refused(
      StrCat("you may not change the opt-in to cleanup: ", ToStd(denied.message()),
             ". Who may: cluster-admins, and whom one of them binds to the role for it: kubectl "
             "create clusterrolebinding NAME --clusterrole=steward-cleanup-opt-in --user=USER"));
}

}  // namespace steward::plugin
