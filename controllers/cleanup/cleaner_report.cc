// How a cleaner tells what it does: status, events, metrics.
#include <algorithm>
#include <boost/json/value.hpp>
#include <utility>

#include "base/clock/time_limit.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/cleaner.h"
#include "controllers/cleanup/guards/live_reads.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/cleanup/memory.h"
#include "kube/meta/status.h"
#include "kube/meta/time.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/reported_failure.h"

namespace steward::controllers {
namespace json = boost::json;

namespace {

// A look takes the longer the more is pending. What is told by watches may take a tenth of the
// time, and is seen within seconds all the same.
constexpr double kRest = 9;
constexpr absl::Duration kSoonest = absl::Milliseconds(50);
constexpr absl::Duration kLatest = absl::Seconds(5);
// Nobody waits long for what decides nothing.
constexpr absl::Duration kOperatorMayTake = absl::Seconds(5);

// How long ago that was by the wall clock, whatever somebody did to it.
absl::Duration Since(const std::string& timestamp, absl::Time now) {
  const absl::StatusOr<absl::Time> then = kube::ParseRfc3339(timestamp);
  if (!then.ok()) return absl::ZeroDuration();
  return std::clamp(now - *then, absl::ZeroDuration(), absl::Hours(24 * 365));
}

}  // namespace

Cleaner::Memory& Cleaner::MemoryOf(const olm::CsvFacts& csv) {
  std::unique_ptr<Memory>& memory = memories_[csv.key];
  if (memory == nullptr || memory->uid != csv.uid) {
    memory = std::make_unique<Memory>();
    memory->uid = csv.uid;
    // What was before this process is not known, except that it is not done.
    memory->progressed = deps_.clock.Monotonic() - Since(csv.deletion_timestamp, deps_.clock.Now());
  }
  return *memory;
}

void Cleaner::Forget(const kube::NamespacedName& csv) {
  memories_.erase(csv);
  if (deps_.watches != nullptr) deps_.watches->Stop(csv);
  deps_.metrics.Forget(csv);
}

absl::Duration Cleaner::Wait(Pass& pass) {
  const absl::Duration poll = pass.memory.NextLook();
  const OperandListing* const listing = pass.Listing();
  if (deps_.watches == nullptr || listing == nullptr) return poll;
  const absl::Duration now = deps_.clock.Monotonic();
  const absl::Duration delay = std::clamp((now - pass.guards.began) * kRest, kSoonest, kLatest);
  if (!deps_.watches->Follow(pass.guards.inputs.csv->key, *listing, delay)) return poll;
  const absl::Duration stalls = pass.memory.progressed + options_.stall_timeout - now;
  if (stalls <= absl::ZeroDuration()) return options_.watched_period;
  return std::min(options_.watched_period, stalls);
}

void Cleaner::NoteProgress(Pass& pass) {
  Memory& memory = pass.memory;
  const size_t pending = pass.report.pending_count;
  // The first count is none: there may have been others before.
  const bool first = memory.pending == std::numeric_limits<size_t>::max();
  if (!first && pending < memory.pending) {
    memory.progressed = deps_.clock.Monotonic();
    memory.looks = 0;
  }
  memory.pending = pending;
  memory.most_pending = std::max(memory.most_pending, pending);
}

// Names that are always new would never be seen to come back.
bool Cleaner::Memory::Refills() const {
  return accepted > DeletionLedger::kMaxDeletions * std::max<size_t>(most_pending, kFewOperands);
}

void Cleaner::JudgeStall(Pass& pass, const DeletionRound* round) {
  CleanupReport& report = pass.report;
  std::vector<OldestOperand> oldest;
  const OperandListing* const listing = pass.Listing();
  if (listing != nullptr) oldest = OldestOf(*listing);
  report.stalled.clear();
  if (round != nullptr && round->recreated > 0) {
    report.stalled = kOperandsRecreated;
    report.stalled_message = StrCat("somebody creates custom resources again, ", round->left_alone,
                                    " for one: they are not deleted any more");
  } else if (pass.memory.Refills() && report.pending_count > 0) {
    report.stalled = kOperandsRecreated;
    report.stalled_message =
        StrCat("somebody creates custom resources again and again: ", pass.memory.accepted,
               " were deleted, of never more than ", pass.memory.most_pending, " at a time");
  } else if (!pass.memory.denial.empty()) {
    report.stalled = kDeletionDenied;
    report.stalled_message = pass.memory.denial;
  } else if (!report.reported.empty()) {
    report.stalled = kOperatorReportsFailure;
    report.stalled_message = report.reported;
  } else if (deps_.clock.Monotonic() - pass.memory.progressed >= options_.stall_timeout) {
    report.stalled = kNoProgress;
    if (!oldest.empty()) {
      report.stalled_message = StrCat("waiting longest for ", Describe(oldest));
    } else if (!report.unknown.empty()) {
      report.stalled_message = report.unknown;
    } else if (!pass.memory.failure.empty()) {
      report.stalled_message = pass.memory.failure;
    } else {
      report.stalled_message = "nothing was deleted";
    }
  }
  deps_.metrics.SetStalled(pass.guards.inputs.csv->key, report.stalled, oldest);
  if (!options_.failure_condition.empty()) {
    deps_.metrics.SetReported(pass.guards.inputs.csv->key, report.reported);
  }
  if (listing != nullptr) {
    deps_.metrics.SetPending(pass.guards.inputs.csv->key, report.pending_count);
  }
}

VoidTask Cleaner::TellStall(Pass& pass, const absl::Status& failure) {
  if (!failure.ok()) pass.memory.failure = Describe(failure);
  JudgeStall(pass, nullptr);
  if (pass.report.stalled.empty()) co_return;
  const absl::Duration ignored = co_await Tell(pass, absl::ZeroDuration());
  (void)ignored;
}

VoidTask Cleaner::AskOperator(Pass& pass) {
  if (options_.failure_condition.empty()) co_return;
  const kube::NamespacedName& name = pass.guards.inputs.csv->key;
  Task<kube::RawObject> get = deps_.client.Get(kOperatorConditions, name);
  const absl::StatusOr<kube::RawObject> raw =
      co_await WithTimeout(deps_.clock, kOperatorMayTake, "a GET", std::move(get));
  const absl::StatusOr<json::value> object =
      raw.ok() ? ParseJson(raw->json) : absl::StatusOr<json::value>(raw.status());
  // What could not be read says what it said before.
  if (object.ok() && object->is_object()) {
    pass.memory.reported = olm::ReportedFailureOf(object->get_object(), options_.failure_condition);
  } else if (IsAbsence(raw.status(), name.name)) {
    pass.memory.reported.clear();
  } else {
    log::Verbose(2, "What an operator reports could not be read",
                 {{"csv", name.name}, {"err", object.status()}});
  }
  pass.report.reported = pass.memory.reported;
}

boost::asio::awaitable<absl::Duration> Cleaner::Tell(Pass& pass, absl::Duration next) {
  const olm::CsvFacts& csv = *pass.guards.inputs.csv;
  if (!pass.report.stalled.empty()) {
    Record(csv, EventType::kWarning, olm::kCleanupStalled,
           StrCat(pass.report.stalled, ": ", pass.report.stalled_message));
  }
  co_return co_await WriteStatus(pass.guards.csv, csv.key, pass.report, pass.memory, next);
}

// When to look again: `next`, or when what there is to say may be written.
boost::asio::awaitable<absl::Duration> Cleaner::WriteStatus(const json::value& csv,
                                                            const kube::NamespacedName& name,
                                                            const CleanupReport& report,
                                                            Memory& memory, absl::Duration next) {
  const std::optional<json::value> patch = StatusPatch(csv, report, deps_.clock.Now());
  if (!patch.has_value()) co_return next;
  const absl::Duration now = deps_.clock.Monotonic();
  if (memory.status_written.has_value()) {
    const absl::Duration wait = *memory.status_written + options_.status_period - now;
    if (wait > absl::ZeroDuration()) co_return std::min(next, wait);
  }
  memory.status_written = now;
  kube::WriteOptions options;
  options.subresource = "status";
  options.field_manager = "steward-cleanup";
  const absl::Status status =
      (co_await deps_.client.Patch(kCsvs, name, kube::PatchType::kJsonMerge, *patch, options))
          .status();
  if (!status.ok()) {
    log::Verbose(2, "The status of a cleanup could not be written",
                 {{"csv", name.name}, {"err", status}});
  }
  co_return next;
}

void Cleaner::Record(const olm::CsvFacts& csv, EventType type, std::string_view reason,
                     const std::string& message) {
  const ObjectReference about{kCsvKind, csv.key, csv.uid};
  deps_.events.Record(about, type, reason, message);
}

}  // namespace steward::controllers
