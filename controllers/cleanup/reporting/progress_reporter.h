// Tells what a cleanup does: the status of the ClusterServiceVersion, events, metrics.
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
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/object_facts.h"

namespace steward::controllers {

struct ReporterOptions {
  absl::Duration status_period = absl::Seconds(10);  // between writes of one status
  // The type of an operator's condition by which it says that it cannot finish (R-000-16); "" =
  // nobody asks. It is told, and decides nothing.
  std::string failure_condition;
};

// Lives on one executor; calls about different ClusterServiceVersions may overlap. Nothing that it
// says is ever read to decide a deletion.
class ProgressReporter {
 public:
  // REQUIRES: the references outlive this object and its calls.
  ProgressReporter(kube::Client& client, CsvWriter& writer, EventRecorder& events,
                   CleanupMetrics& metrics, Clock& clock, ReporterOptions options);

  // Writes what `report` says into the status, unless it stands there or `written`, when that was
  // done last (monotonic), is not `status_period` ago; and to metrics and, when the cleanup is
  // stalled, as an event. `csv` is the object as it was read. When to look again: `next`, or
  // sooner, when what there is to say may be written.
  boost::asio::awaitable<absl::Duration> Tell(const olm::CsvFacts& facts,
                                              const boost::json::value& csv,
                                              const CleanupReport& report,
                                              std::optional<absl::Duration>& written,
                                              absl::Duration next);
  // Writes what `report` says at once, and nothing else. False when the object changed meanwhile,
  // or is gone: look again.
  Task<bool> Announce(const olm::CsvFacts& facts, const boost::json::value& csv,
                      const CleanupReport& report, std::optional<absl::Duration>& written);
  // Says of the rights of one that is not being deleted whether they are held, and of its opt-in if
  // it is `unconfirmed`. `held`: what OLM made for it. False when the object changed meanwhile.
  Task<bool> TellRights(const olm::CsvFacts& facts, const boost::json::value& csv,
                        std::vector<olm::ObjectFacts> held, bool unconfirmed);
  // What the operator says of why it cannot finish; `before` where that cannot be read.
  boost::asio::awaitable<std::string> AskOperator(const kube::NamespacedName& csv,
                                                  std::string before);

  void Event(const olm::CsvFacts& csv, EventType type, std::string_view reason,
             const std::string& message);
  // `result`: "completed", "refused", "aborted", "abandoned".
  void Finished(const std::string& result);
  void Deleted(const DeletionRound& round);
  void Forget(const kube::NamespacedName& csv);

 private:
  kube::Client& client_;
  CsvWriter& writer_;
  EventRecorder& events_;
  CleanupMetrics& metrics_;
  Clock& clock_;
  const ReporterOptions options_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORTING_PROGRESS_REPORTER_H_
