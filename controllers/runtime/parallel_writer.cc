#include "controllers/runtime/parallel_writer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <deque>
#include <memory>
#include <utility>

#include "base/async/broadcast.h"
#include "base/async/in_flight.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/write_outcome.h"
#include "kube/meta/status.h"

namespace steward::controllers {
namespace {

// The reason why a write did not leave after the run had ended.
absl::Status Ended() { return absl::AbortedError("the writes have been ended"); }

}  // namespace

// The state of one run, shared by its workers.
struct ParallelWriter::State {
  Write write;
  WriteCounts counts;
  size_t count;
  size_t next = 0;           // the first write that was not begun yet
  std::deque<size_t> again;  // numbers of writes to send again
  size_t under_way = 0;
  double width;                // at present
  absl::Duration begin_after;  // monotonic
  size_t failures = 0;         // in a row
  // A copy of counts.ended for the client's thread.
  std::shared_ptr<std::atomic<bool>> stopped = std::make_shared<std::atomic<bool>>(false);
  Broadcast changed;  // for workers that wait

  bool HasMore() const { return next < count || !again.empty(); }
  bool IsOver() const { return !counts.ended.ok() || (!HasMore() && under_way == 0); }
  size_t Take() {
    if (again.empty()) return next++;
    const size_t number = again.front();
    again.pop_front();
    return number;
  }
  void End(const absl::Status& why) {
    if (counts.ended.ok()) counts.ended = why;
    *stopped = true;
  }
};

boost::asio::awaitable<WriteCounts> ParallelWriter::Run(size_t count, Write write) {
  State state{.write = std::move(write),
              .count = count,
              .width = static_cast<double>(options_.width),
              .begin_after = clock_.Monotonic()};
  const size_t workers = std::min(options_.width, count);
  if (workers > 0) {
    const auto work = [this, &state](size_t worker) { return Work(state, worker); };
    co_await ForEachInFlight(workers, workers, work);
  }
  state.counts.unsent += state.again.size() + (state.count - state.next);
  co_return std::move(state.counts);
}

VoidTask ParallelWriter::Work(State& state, size_t worker) {
  while (!state.IsOver()) {
    // The first worker is never held back, because width is at least 1.
    if (!state.HasMore() || static_cast<double>(worker) >= std::floor(state.width)) {
      co_await state.changed.WaitSince(state.changed.Now(),
                                       std::chrono::steady_clock::time_point::max());
      continue;
    }
    const absl::Duration pause = state.begin_after - clock_.Monotonic();
    if (pause > absl::ZeroDuration()) {
      co_await clock_.Sleep(pause);
      continue;
    }
    const absl::Status leading = leadership_.Check();
    if (!leading.ok()) {
      state.End(leading);
      break;
    }
    const size_t number = state.Take();
    ++state.under_way;
    const absl::Status status = co_await SendOne(state, number);
    --state.under_way;
    Judge(state, number, status);
    state.changed.Notify();
  }
  state.changed.Notify();
}

StatusTask ParallelWriter::SendOne(State& state, size_t number) {
  kube::SendCheck may_send = [this, stopped = state.stopped] {
    return *stopped ? Ended() : leadership_.Check();
  };
  co_return co_await state.write(number, std::move(may_send));
}

void ParallelWriter::Judge(State& state, size_t number, const absl::Status& status) {
  WriteCounts& counts = state.counts;
  const WriteOutcome outcome = OutcomeOf(status);
  if (outcome == WriteOutcome::kThrottled) {
    state.again.push_back(number);
    Slow(state, status);
    return;
  }
  if (outcome == WriteOutcome::kFailed) {
    // The write had not left. (A write that had left may have happened, so it counts as failed.)
    if (status == Ended() || status == leadership_.Check()) {
      ++counts.unsent;
      state.End(status);
      return;
    }
    ++counts.failed;
    counts.failure.Update(status);
    NoteFailure(state, status);
    return;
  }
  state.failures = 0;
  state.width = std::min(static_cast<double>(options_.width), state.width + 1 / state.width);
  switch (outcome) {
    case WriteOutcome::kDone:
      ++counts.done;
      return;
    case WriteOutcome::kAbsent:
      ++counts.absent;
      return;
    case WriteOutcome::kConflict:
      ++counts.conflicts;
      return;
    default:
      ++counts.refused;
      if (counts.refusal.empty()) counts.refusal = std::string(ToStd(status.message()));
      return;
  }
}

void ParallelWriter::Slow(State& state, const absl::Status& answer) {
  const absl::Duration now = clock_.Monotonic();
  // Writes that were sent at the same time get the same answer, so halve the width only once.
  if (now >= state.begin_after) state.width = std::max(1.0, state.width / 2);
  const absl::Duration asked = absl::Seconds(kube::FromStatus(answer).retry_after_seconds);
  const absl::Duration pause =
      asked > absl::ZeroDuration() ? std::min(asked, options_.max_pause) : options_.pause;
  state.begin_after = std::max(state.begin_after, now + pause);
  NoteFailure(state, answer);
}

void ParallelWriter::NoteFailure(State& state, const absl::Status& failure) {
  if (++state.failures >= options_.give_up) state.End(failure);
}

}  // namespace steward::controllers
