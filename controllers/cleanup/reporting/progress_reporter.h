// Reports the progress of cleanups in the status of the ClusterServiceVersion, in Events and in
// metrics. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_REPORTING_PROGRESS_REPORTER_H_
#define CONTROLLERS_CLEANUP_REPORTING_PROGRESS_REPORTER_H_

#include <boost/asio/awaitable.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "controllers/cleanup/reporting/report.h"
#include "controllers/cleanup/reporting/stall_detector.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"
#include "olm/csv_facts.h"
#include "olm/object_facts.h"

namespace steward::controllers {

struct ReporterOptions {
  absl::Duration status_period = absl::Seconds(10);  // between writes of one status
  // The type of an operator's condition by which it reports that it cannot finish (R-000-16); "" =
  // do not ask operators. The operator's report is only shown; no decision depends on it.
  std::string failure_condition;
};

// The parts of a pass over a ClusterServiceVersion that reports need. REQUIRES: the references
// outlive its use.
struct ReportedPass {
  const olm::CsvFacts& facts;
  const boost::json::value& csv;  // the object as read
  CleanupReport& report;
  const StallDetector& stall;              // judges the report
  std::optional<absl::Duration>& written;  // when its status was written last (monotonic)
};

// Calls about different ClusterServiceVersions may overlap. No deletion ever depends on a report.
class ProgressReporter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  ProgressReporter(kube::Client& client, CsvWriter& writer, EventRecorder& events,
                   CleanupMetrics& metrics, Clock& clock, ReporterOptions options);

  // Writes the report into the status, unless the status has it already or was written less than
  // `status_period` ago. Also updates the metrics, and records an Event when the cleanup is
  // stalled. Returns the time until the next look: `next`, or less if the report can be written
  // sooner.
  boost::asio::awaitable<absl::Duration> Tell(ReportedPass pass, absl::Duration next);
  // Writes into the status at once that custom resources are being deleted. This must be visible
  // before the first DELETE is sent, also to a process that finds no record any more
  // (olm::MayHaveSent). Returns false when the object changed meanwhile or is gone, so that the
  // caller looks again. REQUIRES: the status does not say so yet.
  Task<bool> Announce(ReportedPass pass);
  // For an operator that is not being deleted: reports whether its rights are held, and whether its
  // opt-in is `unconfirmed`. `held` are the objects that OLM made for it. Returns false when the
  // object changed meanwhile.
  Task<bool> TellRights(const olm::CsvFacts& facts, const boost::json::value& csv,
                        std::vector<olm::ObjectFacts> held, bool unconfirmed);
  // Returns the operator's reason why it cannot finish; `before` if that cannot be read.
  boost::asio::awaitable<std::string> AskOperator(const kube::NamespacedName& csv,
                                                  std::string before);

  void Event(const olm::CsvFacts& csv, EventType type, std::string_view reason,
             const std::string& message);
  // `result`: "completed", "refused", "aborted", "abandoned".
  void Finished(const std::string& result);
  void Deleted(const DeletionRound& round);
  void Forget(const kube::NamespacedName& csv);

 private:
  // Adds to the report the reason why the cleanup is stalled.
  void Judge(const ReportedPass& pass) const;

  kube::Client& client_;
  CsvWriter& writer_;
  EventRecorder& events_;
  CleanupMetrics& metrics_;
  Clock& clock_;
  const ReporterOptions options_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORTING_PROGRESS_REPORTER_H_
