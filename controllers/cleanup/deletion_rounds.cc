#include "controllers/cleanup/deletion_rounds.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "controllers/cleanup/guards/resources.h"

namespace steward::controllers {
namespace {

// The time from the deletions to a look at their results.
constexpr absl::Duration kAfterRound = absl::Milliseconds(50);
// A look takes longer the more operands are pending. Looks that watches cause may take at most a
// tenth of the time, so wait nine times as long as the last look took.
constexpr double kRest = 9;
constexpr absl::Duration kSoonest = absl::Milliseconds(50);
constexpr absl::Duration kLatest = absl::Seconds(5);

}  // namespace

Task<ReconcileResult> DeletionRounds::Run(CleanupPass& pass) {
  CleanupMemory& memory = pass.memory;
  if (memory.cursor == nullptr) {
    if (!pass.csv().said_waiting) {
      CO_ASSIGN_OR_RETURN(const bool said, co_await reporter_.Announce(pass.Reported()));
      if (!said) co_return ReconcileResult::Requeue();
    }
    memory.cursor =
        deleter_.Begin(pass.csv().key, *std::move(pass.listing), pass.guards, memory.ledger);
  }
  const DeletionRound round = co_await deleter_.Run(
      *memory.cursor, memory.ledger,
      [this, &pass](const DeletionRound& so_far) { return TellProgress(pass, so_far); });
  reporter_.Deleted(round);
  memory.stall.NoteRound(round, clock_.Monotonic());
  if (round.unanswered > 0) memory.unanswered = clock_.Monotonic();
  pass.report.Count(memory.cursor->listing());
  if (round.accepted > 0) memory.looks = 0;
  if (round.accepted > 0 || (round.failure.ok() && !round.stopped)) memory.unknowns = 0;
  if (round.more) {
    if (!pass.told) co_await reporter_.Tell(pass.Reported(), absl::ZeroDuration());
    co_return ReconcileResult::Requeue();
  }
  absl::Duration next = NextAfter(pass, round);
  if (!pass.told) next = co_await reporter_.Tell(pass.Reported(), next);
  memory.cursor.reset();
  if (!round.failure.ok()) {
    log::Verbose(2, "A round of deletions ended early",
                 {{"csv", pass.csv().key.name}, {"err", round.failure}});
    next = std::max(next, memory.NextTry());
  }
  // The next pass finds out what has changed. It runs at once, unless this round sent nothing.
  if (round.stopped) next = round.sent > 0 ? absl::ZeroDuration() : memory.NextTry();
  co_return ReconcileResult::After(next);
}

absl::Duration DeletionRounds::NextAfter(CleanupPass& pass, const DeletionRound& round) {
  const bool waits =
      round.sent + round.unsent + round.waiting == 0 && round.failure.ok() && !round.stopped;
  const absl::Duration next = waits ? Wait(pass) : pass.memory.NextLook();
  // After that time, operands without finalizers are gone; the next look starts the wait for the
  // others.
  return round.accepted > 0 ? kAfterRound : next;
}

VoidTask DeletionRounds::TellProgress(CleanupPass& pass, const DeletionRound& so_far) {
  // Report again at the round's end, because this report does not have its results.
  const bool told = pass.told;
  // Read the object again, because earlier reports have changed it.
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(kCsvs, pass.csv().key);
  absl::StatusOr<boost::json::value> csv =
      raw.ok() ? ParseJson(raw->json) : absl::StatusOr<boost::json::value>(raw.status());
  if (csv.ok()) pass.guards.csv = *std::move(csv);
  if (so_far.accepted > 0) pass.memory.stall.NoteProgress(clock_.Monotonic());
  pass.report.Count(pass.memory.cursor->listing());
  co_await reporter_.Tell(pass.Reported(), absl::ZeroDuration());
  pass.told = told;
}

absl::Duration DeletionRounds::Wait(CleanupPass& pass) {
  const absl::Duration poll = pass.memory.NextLook();
  const OperandListing* const listing = pass.Listing();
  if (watches_ == nullptr || listing == nullptr) return poll;
  const absl::Duration now = clock_.Monotonic();
  const absl::Duration delay = std::clamp((now - pass.guards.began) * kRest, kSoonest, kLatest);
  if (!watches_->Follow(pass.csv().key, *listing, delay)) return poll;
  const absl::Duration stalls = pass.memory.stall.deadline() - now;
  if (stalls <= absl::ZeroDuration()) return watched_period_;
  return std::min(watched_period_, stalls);
}

}  // namespace steward::controllers
