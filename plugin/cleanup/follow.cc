#include "plugin/cleanup/follow.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_join.h"
#include "base/flags/duration.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/errors.h"
#include "olm/copy.h"
#include "olm/csv_facts.h"
#include "plugin/command/exit.h"
#include "plugin/terminal/terminal.h"
#include "plugin/terminal/words.h"

namespace steward::plugin {
namespace {

// The share of the time that counting may take: at most a tenth.
constexpr int kCountShare = 10;
constexpr absl::Duration kSoonestCount = absl::Seconds(2);
// Without a terminal, the interval between lines is at least this long.
constexpr absl::Duration kSoonestLine = absl::Seconds(5);
// A user who starts to watch a stalled cleanup has probably just removed the cause, and the
// controllers take 10 s to report the progress. So a stall that was there from the start is an
// error only after this time.
constexpr absl::Duration kOldStall = absl::Seconds(30);

constexpr char kGoesOn[] =
    ". The uninstallation itself goes on: the same command watches again, and \"kubectl steward "
    "abort\" calls it off";

class Follower : public Awaited {
 public:
  Follower(Session& session, Followed followed)
      : session_(session), followed_(std::move(followed)) {
    if (followed_.deletes_operands && followed_.shown.has_value()) progress_.Add(*followed_.shown);
  }

  Task<bool> IsDone(absl::Duration waited) override;
  void Show(absl::Duration waited) override;
  absl::Status OutOfTime(absl::Duration waited, absl::Duration limit) override;
  // The result when nothing is left to wait for.
  FollowResult Result();

 private:
  // Returns true when the ClusterServiceVersion is gone.
  Task<bool> LookAtCsv();
  StatusTask Count(bool at_once);
  StatusTask CheckStalled(absl::Duration waited);
  std::string State() const;
  void Finish();

  Session& session_;
  const Followed followed_;

  Csv csv_;
  std::string trouble_;  // the failure of the last look; "" = it succeeded
  Progress progress_;
  std::optional<OperandCounts> counts_;
  absl::Duration next_count_ = -absl::InfiniteDuration();
  absl::Duration next_line_ = -absl::InfiniteDuration();
  std::string last_line_;
  std::optional<bool> found_stalled_;  // absent: not known yet
};

Task<bool> Follower::LookAtCsv() {
  absl::StatusOr<Csv> csv = co_await ReadCsv(session_.client, followed_.csv);
  if (!csv.ok()) {
    if (kube::IsNotFound(csv.status(), followed_.csv.name)) co_return true;
    if (!kube::IsTransient(csv.status())) co_return csv.status();
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

StatusTask Follower::CheckStalled(absl::Duration waited) {
  const Csv::Condition* stalled = csv_.Find(olm::kCleanupStalled);
  if (!trouble_.empty()) co_return absl::OkStatus();
  // A stall that was there from the start is tolerated for kOldStall; one that begins now is not.
  if (stalled == nullptr) found_stalled_ = false;
  if (!found_stalled_.has_value()) found_stalled_ = true;
  if (stalled == nullptr || (*found_stalled_ && waited < kOldStall)) co_return absl::OkStatus();
  // If the operands cannot be listed, the stall is reported without their names.
  (void)co_await Count(/*at_once=*/true);
  Finish();
  if (counts_.has_value()) {
    PrintHeld(session_.terminal, counts_->oldest, Style::kWarning);
    session_.document["holding"] = HeldJson(counts_->oldest);
  }
  co_return Stalled(StrCat("the cleanup does not get on: ", stalled->message, kGoesOn));
}

absl::Status Follower::OutOfTime(absl::Duration waited, absl::Duration limit) {
  Show(waited);
  Finish();
  return Stalled(StrCat("not gone within ", DurationText(limit), ": ", State(), kGoesOn));
}

std::string Follower::State() const {
  if (!trouble_.empty()) return StrCat("no answer, trying again: ", trouble_);
  // The controllers write at most every 10 s, so the counts are newer.
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

void Follower::Show(absl::Duration waited) {
  Terminal& terminal = session_.terminal;
  const std::string state = State();
  if (terminal.live()) {
    std::vector<Terminal::Row> rows = progress_.Bars();
    rows.push_back({{StrCat(ElapsedText(waited), "  "), Style::kFaint},
                    {state, trouble_.empty() ? Style::kPlain : Style::kWarning}});
    terminal.Draw(rows);
    return;
  }
  const std::string summary = progress_.Summary();
  std::string line = StrCat(summary, summary.empty() ? "" : "; ", state);
  if (line == last_line_ || session_.clock.Monotonic() < next_line_) return;
  terminal.Note(line);
  last_line_ = std::move(line);
  next_line_ = session_.clock.Monotonic() + kSoonestLine;
}

void Follower::Finish() {
  if (session_.terminal.live()) {
    session_.terminal.Draw(progress_.Bars());
    session_.terminal.Keep();
  } else if (!progress_.empty() && progress_.Summary() != last_line_) {
    session_.terminal.Note(progress_.Summary());
  }
}

Task<bool> Follower::IsDone(absl::Duration waited) {
  CO_ASSIGN_OR_RETURN(const bool gone, co_await LookAtCsv());
  const absl::Status counted = co_await Count(/*at_once=*/gone);
  if (gone) co_return true;
  if (!counted.ok() && trouble_.empty()) trouble_ = ToStd(counted.message());
  CO_RETURN_IF_ERROR(co_await CheckStalled(waited));
  co_return false;
}

FollowResult Follower::Result() {
  Finish();
  FollowResult result;
  result.left = std::move(counts_);
  return result;
}

}  // namespace

Task<FollowResult> Follow(Session& session, Followed followed, Deadline deadline) {
  Follower follower(session, std::move(followed));
  CO_RETURN_IF_ERROR(co_await WaitFor(session, follower, deadline));
  co_return follower.Result();
}

}  // namespace steward::plugin
