#include "controllers/cleanup/operands/deleter.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <map>
#include <utility>

#include "base/async/broadcast.h"
#include "base/async/in_flight.h"
#include "base/async/race.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/runtime/write_outcome.h"
#include "kube/meta/status.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {
namespace {

// Several readers, because the kube-apiserver answers a list of unchanged objects only at its next
// tick, ten times a second. With one reading at a time, a reading would take longer than sending
// its batch.
constexpr size_t kReaders = 2;

// True when a DELETE that failed with `status` may still be carried out: there was no answer, or a
// server answered that may have passed it on. Some such DELETEs were never sent, but the error does
// not tell which.
bool MayArrive(const absl::Status& status) {
  const int code = kube::FromStatus(status).code;
  return code != 401 && code != 429;
}

std::string NameOf(const OperandsOfCrd& crd, const kube::NamespacedName& name) {
  return StrCat(crd.plan.kind, " ", name.ns, name.ns.empty() ? "" : "/", name.name);
}

// The plans of a fresh reading, by definition; empty when it does not allow deletions.
std::map<std::string, olm::CrdPlan> PlansOf(const GuardReading& guards) {
  std::map<std::string, olm::CrdPlan> plans;
  const olm::Verdict verdict = olm::CleanupVerdict(guards.inputs);
  // Without a record no DELETE is sent.
  if (!verdict.allowed() || !guards.inputs.csv->record.has_value()) return plans;
  if (!guards.inputs.csv->deleting()) return plans;
  for (olm::CrdPlan& plan : olm::PlanCleanup(guards.inputs, verdict.targets, olm::TargetSet())) {
    plans.emplace(plan.crd, std::move(plan));
  }
  return plans;
}

// The reasons for which a DELETE did not leave. The client returns them unchanged.
absl::Status TooLate() { return absl::AbortedError("the guards are too old to delete by them"); }
absl::Status Stopped() { return absl::AbortedError("the guards allow nothing any more"); }

// A round runs on one executor, so its state does not change between the caller's check and this
// wait.
VoidTask UntilNotified(const Broadcast& broadcast) {
  return broadcast.WaitSince(broadcast.Now(), std::chrono::steady_clock::time_point::max());
}

// Counts one sender or reader as busy as long as this lives.
class Busy {
 public:
  Busy(size_t& busy, Broadcast& ended) : busy_(busy), ended_(ended) {}
  ~Busy() {
    if (--busy_ == 0) ended_.Notify();
  }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;

 private:
  size_t& busy_;
  Broadcast& ended_;
};

}  // namespace

// The DELETEs for which one reading of the guards is good.
struct Deleter::Batch {
  std::map<std::string, olm::CrdPlan> plans;
  absl::Duration deadline;  // monotonic
  size_t left;              // to be sent
};

// The state of one round, shared by its senders, its readers and the progress reporter:
//
//   reader (kReaders of them)                sender (options.width of them)
//
//   IsDue? ──no──► waits for `due`           IsOpen? ──no──► TakeNext? ──no──► waits for `read`
//      │ ▲                │                     │  ▲             │ yes              │
//      │ └────────────────┘                     │  └─────────────┴──────────────────┘
//      ▼ yes                                    ▼ yes
//   reads the guards                         takes a candidate of the present batch, sends its
//      │                                     DELETE, judges the answer
//      ├─ allow nothing ──► over: stopped       ├─ not planned any more ───► over: stopped
//      ├─ took too long ──► over: failure       ├─ not leader, no answer ──► over: failure
//      └─ else: its batch goes ahead            └─ else: the next one
//
//   batch:  read ──► ahead (cursor.ahead_) ──► present (cursor.batch_) ──► nothing left, or too old
//                           └─ too old when its turn comes: dropped
//
// A round is also over when nothing is left to be sent, when it sent as much as it may, and when
// its time has passed (IsOver); once over it stays so. A reader notifies `read` after each reading,
// and when it ends; a sender notifies `due` when it waits, and when another reading is due. Senders
// that end notify both, so that all waiting tasks notice it; the last one to end notifies `ended`.
// Batches outlive the round, for the next one with the same cursor.
struct Deleter::State {
  DeletionCursor& cursor;
  DeletionLedger& ledger;
  Progress progress;
  DeletionRound& round;
  absl::Duration end;  // monotonic; nothing is sent later
  size_t reading = 0;  // readings under way
  size_t waiting = 0;  // senders that wait for a batch
  size_t busy = 0;     // senders and readers that have not ended
  // A copy of round.stopped for the client's thread.
  std::shared_ptr<std::atomic<bool>> stopped = std::make_shared<std::atomic<bool>>(false);
  Broadcast read;   // for senders: a batch is ahead, or the round is over
  Broadcast due;    // for readers: a reading is due, or the round is over
  Broadcast ended;  // for the reporter: no sender or reader is busy

  void Stop() {
    round.stopped = true;
    *stopped = true;
  }
};

Deleter::Deleter(kube::Client& client, GuardReader& guards, const Leadership& leadership,
                 Clock& clock, DeleterOptions options)
    : client_(client), guards_(guards), leadership_(leadership), clock_(clock), options_(options) {}

std::unique_ptr<DeletionCursor> Deleter::Begin(kube::NamespacedName csv, OperandListing listing,
                                               const GuardReading& guards,
                                               const DeletionLedger& ledger) const {
  std::unique_ptr<DeletionCursor> cursor(new DeletionCursor(
      std::move(csv), std::move(listing), guards.inputs.remembered, guards.began));
  Choose(*cursor, ledger);
  cursor->batch_ = BatchOf(guards);
  return cursor;
}

void Deleter::Choose(DeletionCursor& cursor, const DeletionLedger& ledger) const {
  DeletionRound& passed_over = cursor.passed_over_;
  const absl::Duration now = clock_.Monotonic();
  for (OperandsOfCrd& crd : cursor.listing_.crds) {
    if (crd.plan.state != olm::CrdState::kServed) continue;
    for (Operand& operand : crd.pending) {
      if (operand.deleting()) continue;
      switch (ledger.Ask(crd.plan.crd, operand.name, operand.uid, now)) {
        case DeletionLedger::Answer::kDelete:
          cursor.candidates_.push_back({&crd, &operand});
          break;
        case DeletionLedger::Answer::kNotYet:
          ++passed_over.waiting;
          break;
        case DeletionLedger::Answer::kRecreated:
          ++passed_over.recreated;
          passed_over.left_alone = NameOf(crd, operand.name);
          break;
        case DeletionLedger::Answer::kFull:
          passed_over.failure = absl::ResourceExhaustedError(
              StrCat("more than ", DeletionLedger::kMaxNames, " CRs to delete"));
          break;
      }
    }
  }
}

boost::asio::awaitable<DeletionRound> Deleter::Run(DeletionCursor& cursor, DeletionLedger& ledger,
                                                   Progress progress) {
  DeletionRound round = cursor.passed_over_;
  State state{.cursor = cursor,
              .ledger = ledger,
              .progress = std::move(progress),
              .round = round,
              .end = clock_.Monotonic() + options_.round_time,
              .busy = kReaders + options_.width};
  if (cursor.batch_->plans.empty()) state.Stop();
  const auto work = [this, &state](size_t i) {
    if (i < kReaders) return ReadGuards(state);
    return i < kReaders + options_.width ? Send(state) : Tell(state);
  };
  const size_t workers = kReaders + options_.width + 1;
  co_await ForEachInFlight(workers, workers, work);
  round.more = cursor.next_ < cursor.candidates_.size() && !round.stopped && round.failure.ok() &&
               clock_.Monotonic() - cursor.listed_ < options_.listing_age;
  co_return round;
}

std::shared_ptr<Deleter::Batch> Deleter::BatchOf(const GuardReading& guards) const {
  return std::make_shared<Batch>(
      Batch{PlansOf(guards), guards.began + options_.guard_age, options_.batch});
}

// Must stay true once it is true, because tasks that have ended wake no others.
bool Deleter::IsOver(const State& state) const {
  const DeletionRound& round = state.round;
  return state.cursor.next_ == state.cursor.candidates_.size() || round.stopped ||
         !round.failure.ok() || round.sent + round.unsent >= options_.round ||
         clock_.Monotonic() >= state.end;
}

bool Deleter::HasTime(const Batch& batch, absl::Duration margin) const {
  return clock_.Monotonic() + margin < batch.deadline;
}

// True if the present batch can take one more DELETE.
bool Deleter::IsOpen(const State& state) const {
  const DeletionCursor& cursor = state.cursor;
  if (cursor.batch_->left == 0) return false;
  // A DELETE that would hardly be answered before the batch's deadline waits for the next batch,
  // unless this batch is new.
  const bool fresh = cursor.batch_->left == options_.batch;
  return HasTime(*cursor.batch_,
                 fresh ? absl::ZeroDuration() : std::min(cursor.slowest_, options_.guard_age / 4));
}

// Makes the next valid batch the present one, if there is one.
bool Deleter::TakeNext(State& state) const {
  DeletionCursor& cursor = state.cursor;
  while (!cursor.ahead_.empty()) {
    std::shared_ptr<Batch> next = std::move(cursor.ahead_.front());
    cursor.ahead_.pop_front();
    if (!HasTime(*next, absl::ZeroDuration())) continue;
    cursor.batch_ = std::move(next);
    return true;
  }
  return false;
}

bool Deleter::IsDue(const State& state) const {
  const DeletionCursor& cursor = state.cursor;
  const bool open = IsOpen(state);
  size_t ready = state.reading;
  for (const std::shared_ptr<Batch>& batch : cursor.ahead_) {
    if (HasTime(*batch, std::min(cursor.slowest_, options_.guard_age / 4))) ++ready;
  }
  // While all senders wait for answers, a reading would be too old when they need it.
  if (!open && ready == 0) return state.waiting > 0;
  if (!options_.read_ahead || ready == kReaders) return false;
  const size_t until_needed = (open ? cursor.batch_->left : 0) + ready * options_.batch;
  // Not due earlier, because the reading would be too old when it is needed.
  return until_needed < cursor.candidates_.size() - cursor.next_ &&
         cursor.slowest_ * until_needed / options_.width <= options_.guard_age / 4;
}

VoidTask Deleter::ReadGuards(State& state) {
  const Busy busy(state.busy, state.ended);
  while (!IsOver(state)) {
    if (!IsDue(state)) {
      co_await UntilNotified(state.due);
      continue;
    }
    ++state.reading;
    const GuardReading guards =
        co_await guards_.Look(state.cursor.csv_, state.cursor.remembered_, CsvDetail::kFacts);
    --state.reading;
    std::shared_ptr<Batch> next = BatchOf(guards);
    if (next->plans.empty()) {
      state.Stop();
    } else if (!HasTime(*next, absl::ZeroDuration())) {
      state.round.failure = absl::DeadlineExceededError(StrCat(
          "reading the guards takes longer than ", absl::FormatDuration(options_.guard_age)));
    } else {
      state.cursor.ahead_.push_back(std::move(next));
    }
    state.read.Notify();
  }
  // The round's time may have passed since a sender began to wait.
  state.read.Notify();
}

VoidTask Deleter::Send(State& state) {
  const Busy busy(state.busy, state.ended);
  DeletionCursor& cursor = state.cursor;
  while (!IsOver(state)) {
    if (!IsOpen(state) && !TakeNext(state)) {
      ++state.waiting;
      state.due.Notify();
      co_await UntilNotified(state.read);
      --state.waiting;
      continue;
    }
    const Candidate candidate = cursor.candidates_[cursor.next_++];
    --cursor.batch_->left;
    if (IsDue(state)) state.due.Notify();
    co_await DeleteOne(state, cursor.batch_, candidate);
  }
  state.read.Notify();
  state.due.Notify();
}

VoidTask Deleter::Tell(State& state) {
  while (state.progress != nullptr && state.busy > 0) {
    VoidTask period = clock_.Sleep(options_.progress_period);
    VoidTask ended = UntilNotified(state.ended);
    co_await UntilOneEnds(std::move(period), std::move(ended));
    if (state.busy > 0) co_await state.progress(state.round);
  }
}

VoidTask Deleter::DeleteOne(State& state, std::shared_ptr<Batch> batch, Candidate candidate) {
  const olm::CrdPlan& listed = candidate.crd->plan;
  const auto plan = batch->plans.find(listed.crd);
  // Since the listing, the targets may have become fewer, and the definition may be another object.
  if (plan == batch->plans.end() || plan->second.state != olm::CrdState::kServed ||
      plan->second.cluster_scoped != listed.cluster_scoped ||
      olm::FateOf(plan->second, candidate.operand->name.ns, false) != olm::OperandFate::kDelete) {
    state.Stop();
    co_return;
  }
  const absl::Status leading = leadership_.Check();
  if (!leading.ok()) {
    state.round.failure = leading;
    co_return;
  }
  state.ledger.NoteSent(listed.crd, candidate.operand->name, candidate.operand->uid,
                        clock_.Monotonic());
  ++state.round.sent;
  const absl::Duration began = clock_.Monotonic();
  kube::SendCheck may_send = [this, batch, stopped = state.stopped] {
    if (*stopped) return Stopped();
    return HasTime(*batch, absl::ZeroDuration()) ? leadership_.Check() : TooLate();
  };
  const absl::Status outcome = co_await SendDelete(candidate, std::move(may_send));
  state.cursor.slowest_ = std::max(clock_.Monotonic() - began, state.cursor.slowest_ * 0.9);
  Judge(state, candidate, outcome);
}

// The client checks `may_send` right before the bytes leave, so it may wait long for a connection
// or a busy server. The answer to a DELETE that was sent in time may take as long as the client
// permits.
StatusTask Deleter::SendDelete(Candidate candidate, kube::SendCheck may_send) {
  kube::DeleteOptions options;
  options.uid = candidate.operand->uid;
  options.propagation = kube::DeleteOptions::Propagation::kBackground;
  options.may_send = std::move(may_send);
  const absl::StatusOr<boost::json::value> answer =
      co_await client_.Delete(candidate.crd->gvr, candidate.operand->name, options);
  co_return answer.status();
}

void Deleter::Judge(State& state, const Candidate& candidate, const absl::Status& outcome) {
  DeletionRound& round = state.round;
  if (outcome == TooLate() || outcome == Stopped()) {
    --round.sent;
    ++round.unsent;
    return;
  }
  switch (OutcomeOf(outcome)) {
    case WriteOutcome::kDone:
    case WriteOutcome::kAbsent:
      ++round.accepted;
      if (candidate.operand->finalizers.empty()) candidate.operand->gone = true;
      return;
    case WriteOutcome::kConflict:
      // Another object has the name now. It is deleted only after a new listing.
      return;
    case WriteOutcome::kRefused:
      ++round.denied;
      round.denial =
          StrCat(NameOf(*candidate.crd, candidate.operand->name), ": ", Describe(outcome));
      state.ledger.NoteDenied(candidate.crd->plan.crd, candidate.operand->name, clock_.Monotonic());
      return;
    case WriteOutcome::kThrottled:
    case WriteOutcome::kFailed:
      if (MayArrive(outcome)) ++round.unanswered;
      if (round.failure.ok()) round.failure = outcome;
      return;
  }
}

}  // namespace steward::controllers
