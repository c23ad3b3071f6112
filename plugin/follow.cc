#include "plugin/follow.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/flags/duration.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/status.h"
#include "olm/copy.h"
#include "plugin/exit.h"
#include "plugin/reads.h"
#include "plugin/terminal.h"

namespace steward::plugin {
namespace {

constexpr absl::Duration kGlance = absl::Seconds(1);
// Counting takes a tenth of the time at most.
constexpr int kCountShare = 10;
constexpr absl::Duration kSoonestCount = absl::Seconds(2);
// Without a terminal, lines come no faster.
constexpr absl::Duration kSoonestLine = absl::Seconds(5);
// Who finds a stall and watches has reason to think that something moves now; the controllers take
// 10 s to say so.
constexpr absl::Duration kOldStall = absl::Seconds(30);

constexpr char kGoesOn[] =
    ". The uninstallation itself goes on: the same command watches again, and \"kubectl steward "
    "abort\" calls it off";

class Follower {
 public:
  Follower(Session& session, Followed followed, Deadline deadline)
      : session_(session),
        followed_(std::move(followed)),
        deadline_(deadline),
        began_(session.clock.Monotonic()) {}

  Task<FollowResult> Run();

 private:
  // True when it is gone.
  Task<bool> Look();
  StatusTask Count(bool at_once);
  StatusTask CheckStalled();
  absl::Status OutOfTime() const;
  std::string State() const;
  void Show();
  void Finish();
  absl::Duration Elapsed() const { return session_.clock.Monotonic() - began_; }

  Session& session_;
  const Followed followed_;
  const Deadline deadline_;
  const absl::Duration began_;

  Csv csv_;
  std::string trouble_;  // why the last look failed; "" = it did not
  Progress progress_;
  std::optional<OperandCounts> counts_;
  absl::Duration next_count_ = -absl::InfiniteDuration();
  absl::Duration next_line_ = -absl::InfiniteDuration();
  std::string last_line_;
  std::optional<bool> found_stalled_;  // absent: nothing is known yet
};

Task<bool> Follower::Look() {
  absl::StatusOr<Csv> csv = co_await ReadCsv(session_.client, followed_.csv);
  if (!csv.ok()) {
    if (IsAbsent(csv.status(), followed_.csv.name)) co_return true;
    if (!IsPassing(csv.status())) co_return csv.status();
    trouble_ = ToStd(csv.status().message());
    co_return false;
  }
  trouble_.clear();
  if (csv->facts.uid != followed_.uid) co_return true;
  csv_ = *std::move(csv);
  co_return false;
}

StatusTask Follower::Count(bool at_once) {
  if (!followed_.deletes_operands) co_return absl::OkStatus();
  const absl::Duration begin = session_.clock.Monotonic();
  if (!at_once && begin < next_count_) co_return absl::OkStatus();
  absl::StatusOr<OperandCounts> counts = co_await CountOperands(session_.client, followed_.plans);
  const absl::Duration took = session_.clock.Monotonic() - begin;
  next_count_ = begin + std::max(kSoonestCount, kCountShare * took);
  if (!counts.ok()) {
    counts_.reset();
    co_return counts.status();
  }
  progress_.Add(*counts);
  counts_ = *std::move(counts);
  co_return absl::OkStatus();
}

StatusTask Follower::CheckStalled() {
  const Csv::Condition* stalled = csv_.Find(olm::kCleanupStalled);
  if (!trouble_.empty()) co_return absl::OkStatus();
  // A stall of before this began; one that comes later is news.
  if (stalled == nullptr) found_stalled_ = false;
  if (!found_stalled_.has_value()) found_stalled_ = true;
  if (stalled == nullptr || (*found_stalled_ && Elapsed() < kOldStall)) co_return absl::OkStatus();
  // What could not be seen is not named; the stall is told all the same.
  (void)co_await Count(/*at_once=*/true);
  Finish();
  if (counts_.has_value()) {
    for (const HeldOperand& held : counts_->oldest) {
      session_.terminal.Line(StrCat("  ", DescribeHeld(held)), Style::kWarning);
    }
    session_.document["holding"] = HeldJson(counts_->oldest);
  }
  co_return Stalled(StrCat("the cleanup does not get on: ", stalled->message, kGoesOn));
}

absl::Status Follower::OutOfTime() const {
  return Stalled(
      StrCat("not gone within ", DurationText(deadline_.limit()), ": ", State(), kGoesOn));
}

std::string Follower::State() const {
  if (!trouble_.empty()) return StrCat("no answer, trying again: ", trouble_);
  // The controllers write no more often than every 10 s; what was counted is newer.
  for (const std::string_view reason : {olm::kCleanupRefused, olm::kCleanupUnknown}) {
    if (const Csv::Condition* condition = csv_.Find(reason); condition != nullptr) {
      return condition->message;
    }
  }
  if (followed_.deletes_operands && csv_.facts.HasFinalizer(olm::kCleanupFinalizer)) {
    if (counts_.has_value() && counts_->pending() == 0) return "waiting for Steward to let go";
    return counts_.has_value() && !counts_->oldest.empty() ? "waiting for the operator to finish"
                                                           : "waiting for Steward's controllers";
  }
  if (csv_.facts.finalizers.empty()) return "waiting for it to be gone";
  return StrCat("waiting for those who hold it: ", absl::StrJoin(csv_.facts.finalizers, ", "));
}

void Follower::Show() {
  Terminal& terminal = session_.terminal;
  const std::string state = State();
  if (terminal.live()) {
    std::vector<Terminal::Row> rows = progress_.Bars();
    rows.push_back({{StrCat(ElapsedText(Elapsed()), "  "), Style::kFaint},
                    {state, trouble_.empty() ? Style::kPlain : Style::kWarning}});
    terminal.Draw(rows);
    return;
  }
  const std::string summary = progress_.Summary();
  std::string line = StrCat(summary, summary.empty() ? "" : "; ", state);
  if (line == last_line_ || session_.clock.Monotonic() < next_line_) return;
  terminal.Line(line);
  last_line_ = std::move(line);
  next_line_ = session_.clock.Monotonic() + kSoonestLine;
}

void Follower::Finish() {
  if (session_.terminal.live()) {
    session_.terminal.Draw(progress_.Bars());
    session_.terminal.Keep();
  } else if (!progress_.empty() && progress_.Summary() != last_line_) {
    session_.terminal.Line(progress_.Summary());
  }
}

Task<FollowResult> Follower::Run() {
  while (true) {
    CO_ASSIGN_OR_RETURN(const bool gone, co_await Look());
    const absl::Status counted = co_await Count(/*at_once=*/gone);
    if (gone) break;
    if (!counted.ok() && trouble_.empty()) trouble_ = ToStd(counted.message());
    CO_RETURN_IF_ERROR(co_await CheckStalled());
    Show();
    if (deadline_.Passed()) {
      Finish();
      co_return OutOfTime();
    }
    co_await session_.clock.Sleep(kGlance);
  }
  Finish();
  FollowResult result;
  result.left = std::move(counts_);
  co_return std::move(result);
}

}  // namespace

Task<FollowResult> Follow(Session& session, Followed followed, Deadline deadline) {
  Follower follower(session, std::move(followed), deadline);
  co_return co_await follower.Run();
}

}  // namespace steward::plugin
