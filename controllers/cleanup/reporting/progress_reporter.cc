#include "controllers/cleanup/reporting/progress_reporter.h"

#include <algorithm>
#include <utility>

#include "base/clock/time_limit.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/resources.h"
#include "kube/meta/errors.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/opt_in.h"
#include "olm/cleanup/reported_failure.h"
#include "olm/cleanup/status.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

// No decision depends on the operator's report, so the wait for it is short.
constexpr absl::Duration kOperatorMayTake = absl::Seconds(5);

}  // namespace

ProgressReporter::ProgressReporter(kube::Client& client, CsvWriter& writer, EventRecorder& events,
                                   CleanupMetrics& metrics, Clock& clock, ReporterOptions options)
    : client_(client),
      writer_(writer),
      events_(events),
      metrics_(metrics),
      clock_(clock),
      options_(std::move(options)) {}

void ProgressReporter::Judge(const ReportedPass& pass) const {
  CleanupReport& report = pass.report;
  report.stall =
      pass.stall.Judge({report.oldest, report.reported, report.unknown}, clock_.Monotonic());
}

boost::asio::awaitable<absl::Duration> ProgressReporter::Tell(ReportedPass pass,
                                                              absl::Duration next) {
  Judge(pass);
  const CleanupReport& report = pass.report;
  const kube::NamespacedName& key = pass.facts.key;
  metrics_.SetStalled(key, report.stall.reason, report.oldest);
  if (!options_.failure_condition.empty()) metrics_.SetReported(key, report.reported);
  if (report.pending.has_value()) metrics_.SetPending(key, report.pending_count);
  if (!report.stall.reason.empty()) {
    Event(pass.facts, EventType::kWarning, olm::kCleanupStalled,
          StrCat(report.stall.reason, ": ", report.stall.message));
  }
  const std::optional<json::value> patch = StatusPatch(pass.csv, report, clock_.Now());
  if (!patch.has_value()) co_return next;
  const absl::Duration now = clock_.Monotonic();
  if (pass.written.has_value()) {
    const absl::Duration wait = *pass.written + options_.status_period - now;
    if (wait > absl::ZeroDuration()) co_return std::min(next, wait);
  }
  pass.written = now;
  const absl::StatusOr<bool> done = co_await writer_.WriteStatus(key, *patch);
  if (!done.ok()) {
    log::Verbose(2, "The status of a cleanup could not be written",
                 {{"csv", key.name}, {"err", done.status()}});
  }
  co_return next;
}

Task<bool> ProgressReporter::Announce(ReportedPass pass) {
  Judge(pass);
  const std::optional<json::value> patch = StatusPatch(pass.csv, pass.report, clock_.Now());
  if (!patch.has_value()) co_return absl::InternalError("there is nothing to announce");
  pass.written = clock_.Monotonic();
  co_return co_await writer_.WriteStatus(pass.facts.key, *patch);
}

Task<bool> ProgressReporter::TellRights(const olm::CsvFacts& facts, const json::value& csv,
                                        std::vector<olm::ObjectFacts> held, bool unconfirmed) {
  CleanupReport report;
  report.rights.emplace();
  std::optional<olm::CleanupCondition> said =
      olm::RightsCondition(facts, olm::HasCondition(ConditionsOf(csv), olm::kRightsHeld), held);
  if (said.has_value()) report.rights->push_back(*std::move(said));
  if (unconfirmed) {
    report.rights->push_back(
        {facts.phase, std::string(olm::kOptInUnconfirmed), olm::UnconfirmedMessage()});
  }
  const std::optional<json::value> patch = StatusPatch(csv, report, clock_.Now());
  if (!patch.has_value()) co_return true;
  co_return co_await writer_.WriteStatus(facts.key, *patch);
}

boost::asio::awaitable<std::string> ProgressReporter::AskOperator(const kube::NamespacedName& csv,
                                                                  std::string before) {
  if (options_.failure_condition.empty()) co_return "";
  Task<kube::RawObject> get = client_.Get(kOperatorConditions, csv);
  const absl::StatusOr<kube::RawObject> raw =
      co_await WithTimeout(clock_, kOperatorMayTake, "a GET", std::move(get));
  const absl::StatusOr<json::value> object =
      raw.ok() ? ParseJson(raw->json) : absl::StatusOr<json::value>(raw.status());
  if (object.ok() && object->is_object()) {
    co_return olm::ReportedFailureOf(object->get_object(), options_.failure_condition);
  }
  if (kube::IsNotFound(raw.status(), csv.name)) co_return "";
  log::Verbose(2, "What an operator reports could not be read",
               {{"csv", csv.name}, {"err", object.status()}});
  co_return before;
}

void ProgressReporter::Event(const olm::CsvFacts& csv, EventType type, std::string_view reason,
                             const std::string& message) {
  const ObjectReference about{kCsvKind, csv.key, csv.uid};
  events_.Record(about, type, reason, message);
}

void ProgressReporter::Finished(const std::string& result) { metrics_.CountFinished(result); }

void ProgressReporter::Deleted(const DeletionRound& round) {
  metrics_.CountDeletions(round.accepted, round.denied, round.sent - round.accepted - round.denied);
}

void ProgressReporter::Forget(const kube::NamespacedName& csv) { metrics_.Forget(csv); }

}  // namespace steward::controllers
