#include "controllers/cleanup/cleaner.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/memory.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/cleanup/status.h"
#include "olm/copy.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

using olm::CleanupStep;

constexpr char kFieldManager[] = "steward-cleanup";

// Between sending deletions and looking at what came of them.
constexpr absl::Duration kAfterRound = absl::Milliseconds(50);

bool IsConflict(const absl::Status& status) { return kube::HasReason(status, "Conflict"); }

bool Shares(const olm::CsvFacts& a, const olm::CsvFacts& b) {
  return std::any_of(a.owned_crds.begin(), a.owned_crds.end(),
                     [&b](const std::string& crd) { return b.owned_crds.contains(crd); });
}

bool IsBlockedBy(const olm::Verdict& verdict, olm::CleanupReason reason) {
  return std::any_of(
      verdict.blockers.begin(), verdict.blockers.end(),
      [reason](const olm::CleanupBlocker& blocker) { return blocker.reason == reason; });
}

}  // namespace

Cleaner::Cleaner(CleanerDeps deps, CleanerOptions options)
    : deps_(std::move(deps)),
      options_(std::move(options)),
      csvs_(deps_.client, options_.guards.terms),
      guards_(deps_.client, csvs_, deps_.clock, deps_.known, options_.guards),
      deleter_(deps_.client, guards_, deps_.leadership, deps_.clock, options_.deleter),
      holds_(deps_.client, options_.guards.width) {}

Cleaner::~Cleaner() = default;

absl::StatusOr<olm::CsvFacts> Cleaner::Decode(const kube::RawObject& csv) const {
  return olm::DecodeCsvFacts(csv.json, options_.guards.terms);
}

Task<ReconcileResult> Cleaner::Reconcile(kube::NamespacedName name) {
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kCsvs, name);
  if (IsAbsence(raw.status(), name.name)) {
    Forget(name);
    co_return ReconcileResult::Done();
  }
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::CsvFacts csv, Decode(*raw));
  if (!csv.deleting()) co_return co_await HoldRights(csv, *raw);
  const bool ours = csv.HasFinalizer(olm::kCleanupFinalizer);
  if (csv.HasFinalizer(olm::kLegacyCleanupFinalizer)) {
    std::vector<std::string_view> gone = {olm::kLegacyCleanupFinalizer};
    CO_ASSIGN_OR_RETURN(const ReconcileResult result,
                        co_await RemoveFinalizers(csv, std::move(gone)));
    co_return ours ? ReconcileResult::After(absl::ZeroDuration()) : result;
  }
  if (!ours) {
    Forget(name);
    co_return ReconcileResult::Done();
  }
  if (!csv.cleanup_enabled) co_return co_await Abort(csv);

  Memory& memory = MemoryOf(csv);
  Pass pass{memory};
  if (memory.cursor != nullptr) {
    // A round ended in time. The next one goes on by the same listing, under guards of its own.
    pass.guards.inputs.csv = olm::Read<olm::CsvFacts>::Ok(csv);
    CO_ASSIGN_OR_RETURN(pass.guards.csv, ParseJson(raw->json));
    pass.report.reported = memory.reported;
    co_return co_await Delete(pass);
  }
  pass.guards = co_await guards_.Look(name, memory.remembered, CsvDetail::kObject);
  if (pass.guards.inputs.csv.ok() && pass.guards.inputs.csv->uid != memory.uid) {
    co_return ReconcileResult::After(absl::ZeroDuration());
  }
  co_return co_await Work(pass);
}

Task<ReconcileResult> Cleaner::HoldRights(olm::CsvFacts csv, kube::RawObject raw) {
  Forget(csv.key);
  if (!olm::WantsHolds(csv)) {
    // Who opts in again must not find it said of before.
    if (raw.json.find(olm::kRightsHeld) == std::string_view::npos) {
      co_return ReconcileResult::Done();
    }
    co_return co_await TellRights(csv, raw, {});
  }
  CO_ASSIGN_OR_RETURN(const HoldState state, co_await holds_.Look(csv.key));
  // Read after the objects: see NextHoldAction.
  absl::StatusOr<kube::RawObject> now = co_await deps_.client.Get(kCsvs, csv.key);
  if (IsAbsence(now.status(), csv.key.name)) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(now.status());
  CO_ASSIGN_OR_RETURN(csv, Decode(*now));
  if (csv.deleting()) co_return ReconcileResult::After(absl::ZeroDuration());
  CO_RETURN_IF_ERROR(co_await holds_.Hold(csv, state));
  // Told from what is there, not from what was just asked for.
  CO_ASSIGN_OR_RETURN(const HoldState after, co_await holds_.Look(csv.key));
  co_return co_await TellRights(csv, *now, after.facts());
}

// `held`: what OLM made for it.
Task<ReconcileResult> Cleaner::TellRights(olm::CsvFacts csv, kube::RawObject raw,
                                          std::vector<olm::ObjectFacts> held) {
  CO_ASSIGN_OR_RETURN(const json::value object, ParseJson(raw.json));
  CleanupReport report;
  report.rights.emplace();
  std::optional<olm::CleanupCondition> said =
      olm::RightsCondition(csv, olm::HasCondition(ConditionsOf(object), olm::kRightsHeld), held);
  if (said.has_value()) report.rights->push_back(*std::move(said));
  const std::optional<json::value> patch = StatusPatch(object, report, deps_.clock.Now());
  if (!patch.has_value()) co_return ReconcileResult::Done();
  kube::WriteOptions options;
  options.subresource = "status";
  options.field_manager = kFieldManager;
  const absl::Status written =
      (co_await deps_.client.Patch(kCsvs, csv.key, kube::PatchType::kJsonMerge, *patch, options))
          .status();
  if (IsConflict(written)) co_return ReconcileResult::After(absl::Seconds(1));
  CO_RETURN_IF_ERROR(written);
  co_return ReconcileResult::Done();
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
  std::vector<std::string_view> gone = {olm::kCleanupFinalizer};
  const absl::StatusOr<ReconcileResult> result = co_await RemoveFinalizers(csv, std::move(gone));
  if (!result.ok()) {
    Record(csv, EventType::kWarning, olm::kCleanupStalled,
           StrCat("the finalizer could not be removed: ", Describe(result.status())));
  }
  if (!result.ok() || result->requeue_after.has_value()) co_return result;
  Record(csv, EventType::kNormal, "CleanupAborted",
         "spec.cleanup.enabled is not true: custom resources are left as they are");
  deps_.metrics.CountFinished("aborted");
  Forget(csv.key);
  co_return result;
}

Task<ReconcileResult> Cleaner::Work(Pass& pass) {
  const olm::CleanupInputs& inputs = pass.guards.inputs;
  if (inputs.csv.absent()) co_return ReconcileResult::After(absl::ZeroDuration());
  pass.verdict = olm::CleanupVerdict(inputs);
  if (!inputs.csv.ok()) co_return absl::UnavailableError(Describe(pass.verdict.blockers));
  const olm::CsvFacts& csv = *inputs.csv;
  if (csv.deleting() && csv.HasFinalizer(olm::kCleanupFinalizer) && !csv.cleanup_enabled) {
    co_return co_await Abort(csv);
  }
  if (csv.record.has_value()) {
    const absl::StatusOr<olm::CleanupRecord> record = olm::DecodeRecord(*csv.record);
    if (record.ok() && record->csv_uid == csv.uid && !pass.memory.remembered.has_value()) {
      pass.memory.remembered = *record;
    }
  }
  olm::StepInputs step;
  step.verdict = pass.verdict.kind;
  step.recorded = csv.record.has_value();
  const bool unknown = pass.verdict.kind == olm::CleanupVerdictKind::kUnknown;
  if (!unknown && !(pass.verdict.allowed() && !step.recorded)) {
    co_await Survey(pass);
    if (pass.listing.ok()) step.pending = olm::Read<size_t>::Ok(pass.listing->pending());
    if (pass.holds.ok()) step.holds = olm::Read<size_t>::Ok(pass.holds->held());
  }
  const CleanupStep next = olm::NextCleanupStep(csv, step);
  absl::StatusOr<ReconcileResult> result = co_await Act(pass, next);
  // The others tell by themselves.
  if (!result.ok() || next == CleanupStep::kReleaseRights) {
    co_await TellStall(pass, result.status());
  }
  co_return result;
}

// What is pending, and what is held.
VoidTask Cleaner::Survey(Pass& pass) {
  const olm::CleanupInputs& inputs = pass.guards.inputs;
  const olm::CsvFacts& csv = *inputs.csv;
  const olm::Read<olm::TargetSet> drain = olm::DrainTargets(inputs);
  if (drain.ok()) {
    std::vector<olm::CrdPlan> plans =
        olm::PlanCleanup(csv.owned_crds, inputs.crds, pass.verdict.targets, *drain);
    pass.listing = co_await ListOperands(deps_.client, std::move(plans));
  } else {
    pass.listing = absl::UnavailableError(StrCat("targets: ", drain.why()));
  }
  pass.holds = co_await holds_.Look(csv.key);
  if (pass.listing.ok() && pass.holds.ok() && pass.listing->pending() > 0) {
    const absl::Status held = co_await holds_.Hold(csv, *pass.holds);
    if (!held.ok())
      log::Warning("Rights could not be held", {{"csv", csv.key.name}, {"err", held}});
  }
  if (pass.holds.ok()) {
    pass.report.rights.emplace();
    std::optional<olm::CleanupCondition> said = olm::RightsCondition(
        csv, olm::HasCondition(ConditionsOf(pass.guards.csv), olm::kRightsHeld),
        pass.holds->facts());
    if (said.has_value()) pass.report.rights->push_back(*std::move(said));
  }
  if (!pass.listing.ok()) co_return;
  pass.report.pending = PendingOf(*pass.listing);
  pass.report.pending_count = pass.listing->pending();
  if (pass.report.pending_count > 0) co_await AskOperator(pass);
}

std::string Cleaner::WhyUnknown(const Pass& pass) {
  if (pass.verdict.kind == olm::CleanupVerdictKind::kUnknown) {
    return Describe(pass.verdict.blockers);
  }
  return Describe(pass.listing.ok() ? pass.holds.status() : pass.listing.status());
}

Task<ReconcileResult> Cleaner::Act(Pass& pass, CleanupStep step) {
  const olm::CsvFacts& csv = *pass.guards.inputs.csv;
  switch (step) {
    case CleanupStep::kNothing:
      co_return ReconcileResult::After(absl::ZeroDuration());
    case CleanupStep::kRecord:
      co_return co_await WriteRecord(pass);
    case CleanupStep::kDelete:
      co_return co_await Delete(pass);
    case CleanupStep::kDrain: {
      pass.report.refused = Describe(pass.verdict.blockers);
      NoteProgress(pass);
      JudgeStall(pass, nullptr);
      Record(csv, EventType::kWarning, olm::kCleanupRefused, pass.report.refused);
      const absl::Duration next = co_await Tell(pass, Wait(pass));
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kRetry: {
      pass.report.unknown = WhyUnknown(pass);
      if (pass.verdict.kind == olm::CleanupVerdictKind::kRefused) {
        pass.report.refused = Describe(pass.verdict.blockers);
      }
      JudgeStall(pass, nullptr);
      Record(csv, EventType::kWarning, olm::kCleanupUnknown, pass.report.unknown);
      const absl::Duration next = co_await Tell(pass, pass.memory.NextTry());
      co_return ReconcileResult::After(next);
    }
    case CleanupStep::kReleaseRights:
      co_return co_await ReleaseRights(pass);
    case CleanupStep::kReleaseFinalizer:
      co_return co_await Finish(pass);
  }
  co_return ReconcileResult::Done();
}

Task<ReconcileResult> Cleaner::WriteRecord(Pass& pass) {
  const olm::CsvFacts& csv = *pass.guards.inputs.csv;
  CO_RETURN_IF_ERROR(deps_.leadership.Check());
  const absl::Status written =
      co_await Annotate(csv, olm::kRecordAnnotation, olm::EncodeRecord(*pass.verdict.to_record));
  if (IsConflict(written)) co_return ReconcileResult::After(absl::ZeroDuration());
  CO_RETURN_IF_ERROR(written);
  pass.memory.remembered = pass.verdict.to_record;
  Record(csv, EventType::kNormal, "CleanupStarted", "custom resources are being deleted");
  // Nothing is deleted under guards that were read before the record was there.
  co_return ReconcileResult::After(absl::ZeroDuration());
}

Task<ReconcileResult> Cleaner::Delete(Pass& pass) {
  const olm::CsvFacts& csv = *pass.guards.inputs.csv;
  Memory& memory = pass.memory;
  if (memory.cursor == nullptr) {
    NoteProgress(pass);
    JudgeStall(pass, nullptr);
    // Once before, so that what is going on is seen from the first moment.
    if (!memory.status_written.has_value()) {
      const absl::Duration ignored = co_await Tell(pass, absl::ZeroDuration());
      (void)ignored;
      pass.told = true;
    }
    memory.cursor = deleter_.Begin(csv.key, *std::move(pass.listing), pass.guards, memory.ledger);
  }
  const DeletionRound round = co_await deleter_.Run(
      *memory.cursor, memory.ledger,
      [this, &pass](const DeletionRound& so_far) { return TellProgress(pass, so_far); });
  deps_.metrics.CountDeletions(round.accepted, round.denied,
                               round.sent - round.accepted - round.denied);
  memory.accepted += round.accepted;
  if (round.denied > 0) memory.denial = round.denial;
  if (round.denied == 0 && round.waiting == 0) memory.denial.clear();
  if (!round.failure.ok()) memory.failure = Describe(round.failure);
  if (round.failure.ok()) memory.failure.clear();
  Count(pass, round);
  if (round.accepted > 0) memory.looks = 0;
  if (round.accepted > 0 || (round.failure.ok() && !round.stopped)) memory.unknowns = 0;
  if (round.more) {
    if (!pass.told) co_await Tell(pass, absl::ZeroDuration());
    co_return ReconcileResult::After(absl::ZeroDuration());
  }
  const bool waits = round.sent + round.waiting == 0 && round.failure.ok() && !round.stopped;
  absl::Duration next = waits ? Wait(pass) : memory.NextLook();
  // What has no finalizers is gone by now; the rest is waited for from the next look on.
  if (round.accepted > 0) next = kAfterRound;
  if (!pass.told) next = co_await Tell(pass, next);
  memory.cursor.reset();
  if (!round.failure.ok()) {
    log::Verbose(2, "A round of deletions ended early",
                 {{"csv", csv.key.name}, {"err", round.failure}});
    next = std::max(next, memory.NextTry());
  }
  // What has changed is found by the next pass; at once, unless that happens over and over.
  if (round.stopped) next = round.sent > 0 ? absl::ZeroDuration() : memory.NextTry();
  co_return ReconcileResult::After(next);
}

void Cleaner::Count(Pass& pass, const DeletionRound& round) {
  if (round.accepted > 0) pass.memory.progressed = deps_.clock.Monotonic();
  const OperandListing& listing = pass.memory.cursor->listing();
  pass.report.pending = PendingOf(listing);
  pass.report.pending_count = listing.pending();
  JudgeStall(pass, &round);
}

VoidTask Cleaner::TellProgress(Pass& pass, const DeletionRound& so_far) {
  // As it is now: what was told before has changed it.
  const absl::StatusOr<kube::RawObject> raw =
      co_await deps_.client.Get(kCsvs, pass.guards.inputs.csv->key);
  absl::StatusOr<json::value> csv =
      raw.ok() ? ParseJson(raw->json) : absl::StatusOr<json::value>(raw.status());
  if (csv.ok()) pass.guards.csv = *std::move(csv);
  Count(pass, so_far);
  co_await Tell(pass, absl::ZeroDuration());
}

Task<ReconcileResult> Cleaner::ReleaseRights(Pass& pass) {
  CO_RETURN_IF_ERROR(deps_.leadership.Check());
  CO_RETURN_IF_ERROR(co_await holds_.Release(*pass.holds));
  // Confirmed by the next pass, which looks at everything again.
  co_return ReconcileResult::After(pass.memory.releases++ == 0 ? absl::ZeroDuration()
                                                               : pass.memory.NextTry());
}

Task<ReconcileResult> Cleaner::Finish(Pass& pass) {
  const olm::CsvFacts& csv = *pass.guards.inputs.csv;
  CO_RETURN_IF_ERROR(deps_.leadership.Check());
  if (IsBlockedBy(pass.verdict, olm::CleanupReason::kSharedOwner)) {
    CO_ASSIGN_OR_RETURN(const bool marked, co_await MarkCoOwners(pass));
    if (!marked) co_return ReconcileResult::After(absl::ZeroDuration());
  }
  std::vector<std::string_view> gone = {olm::kCleanupFinalizer};
  CO_ASSIGN_OR_RETURN(const ReconcileResult result,
                      co_await RemoveFinalizers(csv, std::move(gone)));
  if (result.requeue_after.has_value()) co_return result;
  if (pass.verdict.allowed()) {
    Record(csv, EventType::kNormal, "CleanupCompleted", "no custom resource is left to clean up");
    deps_.metrics.CountFinished("completed");
  } else {
    Record(csv, EventType::kWarning, olm::kCleanupRefused,
           StrCat("custom resources are left as they are: ", Describe(pass.verdict.blockers)));
    deps_.metrics.CountFinished("refused");
  }
  Forget(csv.key);
  co_return result;
}

Task<bool> Cleaner::MarkCoOwners(const Pass& pass) {
  const olm::CsvFacts& csv = *pass.guards.inputs.csv;
  if (!pass.guards.inputs.csvs.ok()) co_return false;
  bool unchanged = true;
  for (const olm::CsvFacts& other : *pass.guards.inputs.csvs) {
    if (other.key == csv.key || !other.deleting() || !other.OptedIn()) continue;
    if (other.refusal.has_value() || !Shares(csv, other)) continue;
    const absl::Status marked = co_await Annotate(
        other, olm::kRefusalAnnotation, StrCat("SharedOwner ", csv.key.ns, "/", csv.key.name));
    if (IsConflict(marked)) {
      unchanged = false;
    } else if (!IsAbsence(marked, other.key.name)) {
      CO_RETURN_IF_ERROR(marked);
    }
  }
  co_return unchanged;
}

Task<ReconcileResult> Cleaner::RemoveFinalizers(const olm::CsvFacts& csv,
                                                std::vector<std::string_view> gone) {
  CO_RETURN_IF_ERROR(deps_.leadership.Check());
  const std::vector<std::string> left = olm::FinalizersWithout(csv.finalizers, gone);
  json::object metadata{{"resourceVersion", csv.resource_version}};
  if (left.empty()) {
    metadata["finalizers"] = nullptr;
  } else {
    metadata["finalizers"] = json::array(left.begin(), left.end());
  }
  const json::value patch = json::object{{"metadata", std::move(metadata)}};
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  const absl::Status status =
      (co_await deps_.client.Patch(kCsvs, csv.key, kube::PatchType::kJsonMerge, patch, options))
          .status();
  if (IsConflict(status)) co_return ReconcileResult::After(absl::ZeroDuration());
  if (!IsAbsence(status, csv.key.name)) CO_RETURN_IF_ERROR(status);
  co_return ReconcileResult::Done();
}

StatusTask Cleaner::Annotate(const olm::CsvFacts& csv, std::string_view key, std::string value) {
  const json::value patch = json::object{
      {"metadata", {{"resourceVersion", csv.resource_version}, {"annotations", {{key, value}}}}}};
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  const absl::StatusOr<json::value> answer =
      co_await deps_.client.Patch(kCsvs, csv.key, kube::PatchType::kJsonMerge, patch, options);
  co_return answer.status();
}

boost::asio::awaitable<SweepResult> Cleaner::Sweep() {
  SweepResult swept;
  swept.failure = deps_.leadership.Check();
  if (!swept.failure.ok()) co_return swept;
  swept = co_await holds_.Sweep(csvs_);
  if (swept.added + swept.released > 0) {
    log::Info("Operators' rights were swept",
              {{"held", swept.added}, {"released", swept.released}});
  }
  co_return swept;
}

}  // namespace steward::controllers
