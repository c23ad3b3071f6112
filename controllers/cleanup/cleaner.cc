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
#include "controllers/cleanup/reporting/report.h"
#include "kube/meta/time.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/status.h"
#include "olm/cleanup/verdict.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace {

using olm::CleanupStep;

// Between sending deletions and looking at what came of them.
constexpr absl::Duration kAfterRound = absl::Milliseconds(50);
// A look takes the longer the more is pending. What is told by watches may take a tenth of the
// time, and is seen within seconds all the same.
constexpr double kRest = 9;
constexpr absl::Duration kSoonest = absl::Milliseconds(50);
constexpr absl::Duration kLatest = absl::Seconds(5);

// How long ago that was by the wall clock, whatever somebody did to it.
absl::Duration Since(const std::string& timestamp, absl::Time now) {
  const absl::StatusOr<absl::Time> then = kube::ParseRfc3339(timestamp);
  if (!then.ok()) return absl::ZeroDuration();
  return std::clamp(now - *then, absl::ZeroDuration(), absl::Hours(24 * 365));
}

bool IsBlockedBy(const olm::Verdict& verdict, olm::CleanupReason reason) {
  return std::any_of(
      verdict.blockers.begin(), verdict.blockers.end(),
      [reason](const olm::CleanupBlocker& blocker) { return blocker.reason == reason; });
}

ReconcileResult AtOnce() { return ReconcileResult::After(absl::ZeroDuration()); }

GuardOptions Observed(GuardOptions options, const CleanerDeps& deps) {
  options.observe = [&metrics = deps.metrics](absl::Duration took) { metrics.ObserveGuards(took); };
  return options;
}

}  // namespace

Cleaner::Cleaner(CleanerDeps deps, CleanerOptions options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      csvs_(deps_.client, options_.guards.terms, deps_.copies),
      guards_(deps_.client, csvs_, deps_.clock, deps_.known, Observed(options_.guards, deps_)),
      deleter_(deps_.client, guards_, deps_.leadership, deps_.clock, options_.deleter),
      holds_(deps_.client, options_.guards.width),
      writer_(deps_.client, deps_.leadership),
      reporter_(deps_.client, writer_, deps_.events, deps_.metrics, deps_.clock, options_.reporter),
      opt_ins_(deps_.client, csvs_, writer_, deps_.metrics, deps_.clock, options_.guards),
      hold_pass_(deps_.client, holds_, opt_ins_, reporter_, options_.guards.terms),
      co_owners_(csvs_, writer_),
      surveyor_(deps_.client, holds_, reporter_, deps_.clock),
      finisher_(holds_, co_owners_, writer_, reporter_) {}

Cleaner::~Cleaner() = default;

Task<ReconcileResult> Cleaner::Reconcile(kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kCsvs, name);
  if (IsAbsence(raw.status(), name.name)) {
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
    co_return AtOnce();
  }
  const std::optional<CleanupStep> early = olm::EarlyCleanupStep(csv);
  if (early == CleanupStep::kAbort) co_return co_await Abort(csv);
  if (early.has_value()) {
    Forget(name);
    co_return ReconcileResult::Done();
  }
  CleanupPass pass{MemoryOf(csv)};
  if (pass.memory.cursor != nullptr) {
    // A round ended in time. The next one goes on by the same listing, under guards of its own.
    pass.guards.inputs.csv = olm::Read<olm::CsvFacts>::Ok(csv);
    CO_ASSIGN_OR_RETURN(pass.guards.csv, ParseJson(raw->json));
    pass.report.reported = pass.memory.reported;
    co_return co_await Delete(pass);
  }
  pass.guards = co_await guards_.Look(name, pass.memory.remembered, CsvDetail::kObject);
  const olm::Read<olm::CsvFacts>& now = pass.guards.inputs.csv;
  if (now.unreadable()) co_return absl::UnavailableError(now.why());
  // It has changed since: what to do with it is decided above.
  if (now.absent() || now->uid != pass.memory.uid || olm::EarlyCleanupStep(*now).has_value()) {
    co_return AtOnce();
  }
  co_return co_await Work(pass);
}

Task<ReconcileResult> Cleaner::Abort(olm::CsvFacts csv) {
  // The finalizer goes at once (R-000-42): what cannot be let go of now is swept up later.
  const absl::StatusOr<HoldState> state = co_await holds_.Look(csv.key);
  if (state.ok()) {
    const absl::Status released = co_await holds_.Release(*state);
    if (!released.ok()) {
      log::Warning("An operator's rights are still held",
                   {{"csv", csv.key.name}, {"err", released}});
    }
  }
  absl::StatusOr<bool> done = co_await co_owners_.MarkLive(csv);
  if (done.ok() && *done) {
    std::vector<std::string_view> gone = {olm::kCleanupFinalizer};
    done = co_await writer_.RemoveFinalizers(csv, std::move(gone));
  }
  if (!done.ok()) {
    reporter_.Event(csv, EventType::kWarning, olm::kCleanupStalled,
                    StrCat("the finalizer could not be removed: ", Describe(done.status())));
    co_return done.status();
  }
  if (!*done) co_return AtOnce();
  reporter_.Event(csv, EventType::kNormal, "CleanupAborted",
                  "spec.cleanup.enabled is not true: custom resources are left as they are");
  reporter_.Finished("aborted");
  Forget(csv.key);
  co_return ReconcileResult::Done();
}

Task<ReconcileResult> Cleaner::Work(CleanupPass& pass) {
  const olm::CleanupInputs& inputs = pass.guards.inputs;
  pass.verdict = olm::CleanupVerdict(inputs);
  if (IsBlockedBy(pass.verdict, olm::CleanupReason::kOptInUnconfirmed)) {
    CO_ASSIGN_OR_RETURN(const bool changed,
                        co_await opt_ins_.ConfirmBy(inputs.protection->opt_in, *inputs.csv));
    if (changed) co_return AtOnce();
  }
  Remember(pass);
  pass.step.verdict = pass.verdict.kind;
  pass.step.recorded = inputs.csv->record.has_value();
  pass.step.may_have_sent = olm::MayHaveSent(inputs);
  pass.step.nobody_can_finish = olm::NobodyCanFinish(inputs);
  pass.step.refused_before =
      pass.memory.refused_since.has_value() &&
      pass.guards.began >= *pass.memory.refused_since + options_.confirm_after;
  pass.report.is_copied = deps_.copies != nullptr && deps_.copies->MayHaveCopiesOf(pass.csv().key);
  co_await surveyor_.Survey(pass);
  if (pass.listing.ok()) pass.step.pending = olm::Read<size_t>::Ok(pass.listing->pending());
  if (pass.holds.ok()) pass.step.holds = olm::Read<size_t>::Ok(pass.holds->held());
  absl::StatusOr<ReconcileResult> result =
      co_await Act(pass, olm::NextCleanupStep(pass.csv(), pass.step));
  if (!result.ok()) {
    pass.memory.stall.NoteFailure(Describe(result.status()));
    if (!pass.told) co_await Tell(pass, absl::ZeroDuration());
  }
  co_return result;
}

void Cleaner::Remember(CleanupPass& pass) const {
  CleanupMemory& memory = pass.memory;
  if (!memory.remembered.has_value()) memory.remembered = olm::RecordOf(pass.guards.inputs);
  if (!pass.refused()) {
    memory.refused_since.reset();
  } else if (!memory.refused_since.has_value()) {
    memory.refused_since = pass.guards.began;
  }
}

Task<ReconcileResult> Cleaner::Act(CleanupPass& pass, CleanupStep step) {
  if (pass.refused()) pass.report.refused = Describe(pass.verdict.blockers);
  const auto warn = [this, &pass](std::string_view reason, const std::string& message) {
    reporter_.Event(pass.csv(), EventType::kWarning, reason, message);
  };
  switch (step) {
    case CleanupStep::kNothing:
    case CleanupStep::kAbort:
      co_return AtOnce();
    case CleanupStep::kRecord:
      co_return co_await WriteRecord(pass);
    case CleanupStep::kDelete:
      co_return co_await Delete(pass);
    case CleanupStep::kDrain: {
      warn(olm::kCleanupRefused, pass.report.refused);
      const absl::Duration next = co_await Tell(pass, Wait(pass));
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kRetry: {
      pass.report.unknown =
          pass.verdict.kind == olm::CleanupVerdictKind::kUnknown
              ? Describe(pass.verdict.blockers)
              : Describe(pass.listing.ok() ? pass.holds.status() : pass.listing.status());
      warn(olm::kCleanupUnknown, pass.report.unknown);
      const absl::Duration next = co_await Tell(pass, pass.memory.NextTry());
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kConfirm: {
      CO_ASSIGN_OR_RETURN(const bool unchanged, co_await co_owners_.MarkItself(pass.guards.inputs));
      if (!unchanged) co_return AtOnce();
      const absl::Duration next = co_await Tell(pass, options_.confirm_after);
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kReleaseRights: {
      // Confirmed by the next pass, which looks at everything again.
      CO_ASSIGN_OR_RETURN(const bool first, co_await finisher_.ReleaseRights(pass));
      if (first) co_return AtOnce();
      const absl::Duration next = co_await Tell(pass, pass.memory.NextTry());
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kReleaseFinalizer: {
      CO_ASSIGN_OR_RETURN(const bool finished, co_await finisher_.Finish(pass));
      if (!finished) co_return AtOnce();
      Forget(pass.csv().key);
      co_return ReconcileResult::Done();
    }
  }
  co_return ReconcileResult::Done();
}

Task<ReconcileResult> Cleaner::WriteRecord(CleanupPass& pass) {
  CO_ASSIGN_OR_RETURN(const bool written,
                      co_await writer_.Annotate(pass.csv(), olm::kRecordAnnotation,
                                                olm::EncodeRecord(*pass.verdict.to_record)));
  if (!written) co_return AtOnce();
  pass.memory.remembered = pass.verdict.to_record;
  pass.memory.wrote_record = true;
  reporter_.Event(pass.csv(), EventType::kNormal, "CleanupStarted",
                  "custom resources are being deleted");
  // Nothing is deleted under guards that were read before the record was there.
  co_return AtOnce();
}

Task<ReconcileResult> Cleaner::Delete(CleanupPass& pass) {
  CleanupMemory& memory = pass.memory;
  if (memory.cursor == nullptr) {
    // Once before, so that what is going on is seen from the first moment.
    if (!memory.status_written.has_value()) co_await Tell(pass, absl::ZeroDuration());
    memory.cursor =
        deleter_.Begin(pass.csv().key, *std::move(pass.listing), pass.guards, memory.ledger);
  }
  const DeletionRound round = co_await deleter_.Run(
      *memory.cursor, memory.ledger,
      [this, &pass](const DeletionRound& so_far) { return TellProgress(pass, so_far); });
  reporter_.Deleted(round);
  memory.stall.NoteRound(round, deps_.clock.Monotonic());
  Count(pass);
  if (round.accepted > 0) memory.looks = 0;
  if (round.accepted > 0 || (round.failure.ok() && !round.stopped)) memory.unknowns = 0;
  if (round.more) {
    if (!pass.told) co_await Tell(pass, absl::ZeroDuration());
    co_return AtOnce();
  }
  const bool waits =
      round.sent + round.unsent + round.waiting == 0 && round.failure.ok() && !round.stopped;
  absl::Duration next = waits ? Wait(pass) : memory.NextLook();
  // What has no finalizers is gone by now; the rest is waited for from the next look on.
  if (round.accepted > 0) next = kAfterRound;
  if (!pass.told) next = co_await Tell(pass, next);
  memory.cursor.reset();
  if (!round.failure.ok()) {
    log::Verbose(2, "A round of deletions ended early",
                 {{"csv", pass.csv().key.name}, {"err", round.failure}});
    next = std::max(next, memory.NextTry());
  }
  // What has changed is found by the next pass; at once, unless that happens over and over.
  if (round.stopped) next = round.sent > 0 ? absl::ZeroDuration() : memory.NextTry();
  co_return ReconcileResult::After(next);
}

void Cleaner::Count(CleanupPass& pass) {
  const OperandListing& listing = pass.memory.cursor->listing();
  pass.report.pending = PendingOf(listing);
  pass.report.pending_count = listing.pending();
  pass.report.oldest = OldestOf(listing);
}

VoidTask Cleaner::TellProgress(CleanupPass& pass, const DeletionRound& so_far) {
  // As it is now: what was told before has changed it.
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kCsvs, pass.csv().key);
  absl::StatusOr<boost::json::value> csv =
      raw.ok() ? ParseJson(raw->json) : absl::StatusOr<boost::json::value>(raw.status());
  if (csv.ok()) pass.guards.csv = *std::move(csv);
  if (so_far.accepted > 0) pass.memory.stall.NoteProgress(deps_.clock.Monotonic());
  Count(pass);
  co_await Tell(pass, absl::ZeroDuration());
}

absl::Duration Cleaner::Wait(CleanupPass& pass) {
  const absl::Duration poll = pass.memory.NextLook();
  const OperandListing* const listing = pass.Listing();
  if (deps_.watches == nullptr || listing == nullptr) return poll;
  const absl::Duration now = deps_.clock.Monotonic();
  const absl::Duration delay = std::clamp((now - pass.guards.began) * kRest, kSoonest, kLatest);
  if (!deps_.watches->Follow(pass.csv().key, *listing, delay)) return poll;
  const absl::Duration stalls = pass.memory.stall.deadline() - now;
  if (stalls <= absl::ZeroDuration()) return options_.watched_period;
  return std::min(options_.watched_period, stalls);
}

boost::asio::awaitable<absl::Duration> Cleaner::Tell(CleanupPass& pass, absl::Duration next) {
  CleanupReport& report = pass.report;
  report.stall = pass.memory.stall.Judge({report.oldest, report.reported, report.unknown},
                                         deps_.clock.Monotonic());
  pass.told = true;
  co_return co_await reporter_.Tell(pass.csv(), pass.guards.csv, report, pass.memory.status_written,
                                    next);
}

CleanupMemory& Cleaner::MemoryOf(const olm::CsvFacts& csv) {
  std::unique_ptr<CleanupMemory>& memory = memories_[csv.key];
  if (memory == nullptr || memory->uid != csv.uid) {
    // What was before this process is not known, except that it is not done.
    const absl::Duration since =
        deps_.clock.Monotonic() - Since(csv.deletion_timestamp, deps_.clock.Now());
    memory = std::make_unique<CleanupMemory>(csv.uid, StallDetector(options_.stall_timeout, since));
  }
  return *memory;
}

void Cleaner::Forget(const kube::NamespacedName& csv) {
  memories_.erase(csv);
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
  if (swept.added + swept.released > 0) {
    log::Info("Operators' rights were swept",
              {{"held", swept.added}, {"released", swept.released}});
  }
  if (opted_in.ok()) swept.look_at.merge(*opted_in);
  swept.failure.Update(opted_in.status());
  co_return swept;
}

}  // namespace steward::controllers
