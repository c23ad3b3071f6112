#include "controllers/cleanup/cleaner.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/cleanup/reporting/report.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/verdict.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"

namespace steward::controllers {
namespace {

using olm::CleanupStep;

GuardOptions Observed(GuardOptions options, const CleanerDeps& deps) {
  options.observe = [&metrics = deps.metrics](absl::Duration took) { metrics.ObserveGuards(took); };
  return options;
}

}  // namespace

Cleaner::Cleaner(CleanerDeps deps, CleanerOptions options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      recently_deleted_(deps_.clock),
      csvs_(deps_.client, options_.guards.terms, deps_.copies, &recently_deleted_),
      guards_(deps_.client, csvs_, deps_.clock, deps_.known, Observed(options_.guards, deps_)),
      holds_(deps_.client, options_.guards.width),
      writer_(deps_.client, deps_.leadership),
      reporter_(deps_.client, writer_, deps_.events, deps_.metrics, deps_.clock, options_.reporter),
      opt_ins_(deps_.client, csvs_, writer_, deps_.metrics, deps_.clock, options_.guards),
      hold_pass_(deps_.client, holds_, opt_ins_, reporter_, options_.guards.terms),
      co_owners_(csvs_, writer_),
      rounds_(deps_.client, guards_, deps_.leadership, reporter_, deps_.watches, deps_.clock,
              options_.deleter, options_.watched_period),
      finisher_(holds_, co_owners_, writer_, reporter_),
      memories_(deps_.clock, options_.stall_timeout) {}

Cleaner::~Cleaner() = default;

Task<ReconcileResult> Cleaner::Reconcile(kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kCsvs, name);
  if (kube::IsNotFound(raw.status(), name.name)) {
    Forget(name);
    co_return ReconcileResult::Done();
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::CsvFacts csv,
                      olm::DecodeCsvFacts(raw->json, options_.guards.terms));
  if (!csv.deleting()) {
    Forget(name);
    co_return co_await hold_pass_.Run(csv, *raw);
  }
  if (csv.HasFinalizer(olm::kLegacyCleanupFinalizer)) {
    std::vector<std::string_view> gone = {olm::kLegacyCleanupFinalizer};
    CO_RETURN_IF_ERROR((co_await writer_.RemoveFinalizers(csv, std::move(gone))).status());
    co_return ReconcileResult::Requeue();
  }
  const std::optional<CleanupStep> early = olm::EarlyCleanupStep(csv);
  if (early.has_value()) {
    if (early == CleanupStep::kAbort) {
      CO_ASSIGN_OR_RETURN(const bool ended, co_await finisher_.Abort(csv));
      if (!ended) co_return ReconcileResult::Requeue();
    }
    Forget(name);
    co_return ReconcileResult::Done();
  }
  CleanupPass pass{memories_.Of(csv)};
  if (pass.memory.cursor != nullptr) {
    // The last round ended by its limits. The next round continues with the same listing, under its
    // own readings of the guards.
    pass.guards.inputs.csv = olm::Read<olm::CsvFacts>::Ok(csv);
    CO_ASSIGN_OR_RETURN(pass.guards.csv, ParseJson(raw->json));
    pass.report.reported = pass.memory.reported;
    pass.report.is_copied = pass.memory.may_be_copied;
    co_return co_await rounds_.Run(pass);
  }
  const CsvAsRead before{csv, raw->json};
  pass.guards = co_await guards_.Look(name, pass.memory.remembered, CsvDetail::kObject, &before);
  const olm::Read<olm::CsvFacts>& now = pass.guards.inputs.csv;
  if (now.unreadable()) co_return absl::UnavailableError(now.why());
  // The object has changed since the last round; the next pass decides what to do with it.
  if (now.absent() || now->uid != pass.memory.uid || olm::EarlyCleanupStep(*now).has_value()) {
    co_return ReconcileResult::Requeue();
  }
  co_return co_await Work(pass);
}

Task<ReconcileResult> Cleaner::Work(CleanupPass& pass) {
  pass.guards.inputs.copies_had_time = pass.CopiesHadTime(options_.copies_go_within);
  const olm::CleanupInputs& inputs = pass.guards.inputs;
  pass.verdict = olm::CleanupVerdict(inputs);
  if (pass.verdict.IsBlockedBy(olm::CleanupReason::kOptInUnconfirmed)) {
    CO_ASSIGN_OR_RETURN(const bool changed,
                        co_await opt_ins_.ConfirmBy(inputs.protection->opt_in, *inputs.csv));
    if (changed) co_return ReconcileResult::Requeue();
  }
  pass.Remember(deps_.clock.Monotonic());
  pass.step.verdict = pass.verdict.kind;
  pass.step.recorded = inputs.csv->record.has_value();
  pass.step.may_have_sent = olm::MayHaveSent(inputs);
  pass.step.nobody_can_finish = olm::NobodyCanFinish(inputs);
  pass.step.refused_before = pass.RefusedBefore(options_.confirm_after);
  pass.step.may_arrive = pass.MayArrive(options_.arrives_within);
  pass.memory.may_be_copied = deps_.copies == nullptr
                                  ? pass.guards.lists_copies
                                  : deps_.copies->MayHaveCopiesOf(pass.csv().key);
  pass.report.is_copied = pass.memory.may_be_copied;
  co_await Survey(pass);
  if (pass.listing.ok()) pass.step.pending = olm::Read<size_t>::Ok(pass.listing->pending());
  if (pass.holds.ok()) pass.step.holds = olm::Read<size_t>::Ok(pass.holds->held());
  absl::StatusOr<ReconcileResult> result =
      co_await Act(pass, olm::NextCleanupStep(pass.csv(), pass.step));
  if (!result.ok()) {
    pass.memory.stall.NoteFailure(Describe(result.status()));
    if (!pass.told) co_await reporter_.Tell(pass.Reported(), absl::ZeroDuration());
  }
  co_return result;
}

VoidTask Cleaner::Survey(CleanupPass& pass) {
  const bool ended = pass.csv().rights_released.has_value();
  const bool unknown = pass.verdict.kind == olm::CleanupVerdictKind::kUnknown;
  if (!ended && (unknown || (pass.verdict.allowed() && !pass.step.recorded))) co_return;
  if (pass.step.may_have_sent) co_await ListPending(pass);
  pass.holds = co_await holds_.Look(pass.csv().key);
  if (!pass.holds.ok()) co_return;
  if (olm::NeedsPending(pass.csv(), pass.step) && pass.report.waits()) {
    const absl::Status held = co_await holds_.Hold(pass.csv(), *pass.holds);
    if (!held.ok()) {
      log::Warning("Rights could not be held", {{"csv", pass.csv().key.name}, {"err", held}});
    }
  }
  pass.report.rights.emplace();
  std::optional<olm::CleanupCondition> said = olm::RightsCondition(
      pass.csv(), olm::HasCondition(ConditionsOf(pass.guards.csv), olm::kRightsHeld),
      pass.holds->facts());
  if (said.has_value()) pass.report.rights->push_back(*std::move(said));
}

VoidTask Cleaner::ListPending(CleanupPass& pass) {
  const olm::CleanupInputs& inputs = pass.guards.inputs;
  const olm::Read<olm::TargetSet> drain = olm::DrainTargets(inputs);
  if (!drain.ok()) {
    pass.listing = absl::UnavailableError(StrCat("targets: ", drain.why()));
    co_return;
  }
  std::vector<olm::CrdPlan> plans = olm::PlanCleanup(inputs, pass.verdict.targets, *drain);
  pass.listing = co_await ListOperands(deps_.client, std::move(plans));
  if (!pass.listing.ok()) co_return;
  pass.report.Count(*pass.listing);
  if (pass.memory.stall.NoteListing(pass.listing->pending(), deps_.clock.Monotonic())) {
    pass.memory.looks = 0;
  }
  if (!pass.report.waits()) co_return;
  pass.memory.reported =
      co_await reporter_.AskOperator(inputs.csv->key, std::move(pass.memory.reported));
  pass.report.reported = pass.memory.reported;
}

Task<ReconcileResult> Cleaner::Act(CleanupPass& pass, CleanupStep step) {
  if (pass.refused()) pass.report.refused = Describe(pass.verdict.blockers);
  const auto warn = [this, &pass](std::string_view reason, const std::string& message) {
    reporter_.Event(pass.csv(), EventType::kWarning, reason, message);
  };
  switch (step) {
    case CleanupStep::kNothing:
    case CleanupStep::kAbort:
      co_return ReconcileResult::Requeue();
    case CleanupStep::kRecord:
      co_return co_await WriteRecord(pass);
    case CleanupStep::kDelete:
      co_return co_await rounds_.Run(pass);
    case CleanupStep::kDrain:
      warn(olm::kCleanupRefused, pass.report.refused);
      co_return co_await StayRefused(pass, rounds_.Wait(pass));
    case CleanupStep::kRetry: {
      pass.report.unknown =
          pass.verdict.kind == olm::CleanupVerdictKind::kUnknown
              ? Describe(pass.verdict.blockers)
              : Describe(pass.listing.ok() ? pass.holds.status() : pass.listing.status());
      warn(olm::kCleanupUnknown, pass.report.unknown);
      const absl::Duration next = co_await reporter_.Tell(pass.Reported(), pass.memory.NextTry());
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kSettle:
      co_return co_await Settle(pass);
    case CleanupStep::kConfirm:
      co_return co_await StayRefused(pass, options_.confirm_after);
    case CleanupStep::kReleaseRights: {
      // The next pass reads everything again, and so confirms the release.
      CO_ASSIGN_OR_RETURN(const bool first, co_await finisher_.ReleaseRights(pass));
      if (first) co_return ReconcileResult::Requeue();
      const absl::Duration next = co_await reporter_.Tell(pass.Reported(), pass.memory.NextTry());
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kReleaseFinalizer: {
      CO_ASSIGN_OR_RETURN(const bool finished, co_await finisher_.Finish(pass));
      if (!finished) co_return ReconcileResult::Requeue();
      Forget(pass.csv().key);
      co_return ReconcileResult::Done();
    }
  }
  co_return ReconcileResult::Done();
}

Task<ReconcileResult> Cleaner::Settle(CleanupPass& pass) {
  // Look regularly meanwhile, so that a DELETE that arrives is drained at once.
  const absl::Duration end = *pass.memory.unanswered + options_.arrives_within;
  absl::Duration next = std::min(pass.memory.NextLook(), end - pass.guards.began);
  if (pass.refused()) co_return co_await StayRefused(pass, next);
  next = co_await reporter_.Tell(pass.Reported(), next);
  co_return ReconcileResult::After(next);
}

Task<ReconcileResult> Cleaner::StayRefused(CleanupPass& pass, absl::Duration next) {
  CO_ASSIGN_OR_RETURN(const bool unchanged, co_await co_owners_.MarkItself(pass.guards.inputs));
  if (!unchanged) co_return ReconcileResult::Requeue();
  next = co_await reporter_.Tell(pass.Reported(), next);
  co_return ReconcileResult::After(next);
}

Task<ReconcileResult> Cleaner::WriteRecord(CleanupPass& pass) {
  CO_ASSIGN_OR_RETURN(const bool written,
                      co_await writer_.Annotate(pass.csv(), olm::kRecordAnnotation,
                                                olm::EncodeRecord(*pass.verdict.to_record)));
  if (!written) co_return ReconcileResult::Requeue();
  pass.memory.remembered = pass.verdict.to_record;
  pass.memory.wrote_record = true;
  reporter_.Event(pass.csv(), EventType::kNormal, "CleanupStarted",
                  "custom resources are being deleted");
  // Only a reading of the guards that is made after the record was written allows deletions, so
  // start a new pass.
  co_return ReconcileResult::Requeue();
}

void Cleaner::Forget(const kube::NamespacedName& csv) {
  memories_.Forget(csv);
  if (deps_.watches != nullptr) deps_.watches->Stop(csv);
  reporter_.Forget(csv);
  opt_ins_.Forget(csv);
}

StatusTask Cleaner::ListOriginals() {
  co_return (co_await csvs_.List(CopyReading::kIgnored)).status();
}

boost::asio::awaitable<SweepResult> Cleaner::Sweep() {
  SweepResult swept;
  swept.failure = deps_.leadership.Check();
  if (!swept.failure.ok()) co_return swept;
  absl::StatusOr<std::set<kube::NamespacedName>> opted_in = co_await opt_ins_.NoteAll();
  swept = co_await holds_.Sweep(csvs_);
  if (opted_in.ok()) swept.look_at.merge(*opted_in);
  swept.failure.Update(opted_in.status());
  co_return swept;
}

}  // namespace steward::controllers
