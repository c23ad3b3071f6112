// Uninstalls operators' operands: one pass over one ClusterServiceVersion at a time.
#ifndef CONTROLLERS_CLEANUP_CLEANER_H_
#define CONTROLLERS_CLEANUP_CLEANER_H_

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/operands/operand_watches.h"
#include "controllers/cleanup/report.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/step.h"

namespace steward::controllers {

struct CleanerOptions {
  GuardOptions guards;
  DeleterOptions deleter;
  absl::Duration stall_timeout = absl::Minutes(10);  // --cleanup-stall-timeout
  absl::Duration status_period = absl::Seconds(10);  // between writes of one status
  // How often what is watched is looked at all the same: no event tells of the guards.
  absl::Duration watched_period = absl::Seconds(30);
  // The type of an operator's condition by which it says that it cannot finish (R-000-16); "" =
  // nobody asks. It is told, and decides nothing.
  std::string failure_condition;
};

// All of it outlives the cleaner.
struct CleanerDeps {
  kube::Client& client;
  const Leadership& leadership;
  EventRecorder& events;
  Clock& clock;
  CleanupMetrics& metrics;
  KnownCsvs known;
  // Null: what is waited for is polled.
  OperandWatches* watches = nullptr;
};

// The order of a cleanup, each step of it decided anew in every pass from what is live
// (olm/cleanup/step.h): record, delete, wait until a complete listing is empty, let go of the
// operator's rights, confirm that, remove the finalizer. A pass that cannot read what it needs
// sends nothing and releases nothing. What is remembered between passes makes a cleanup gentler
// (waits, counts of recreations) and stricter (an edited record), never bolder: it may be lost at
// any time. Finalizers are only ever removed from ClusterServiceVersions.
//
// One pass of one key at a time; different keys at the same time, on one executor.
class Cleaner {
 public:
  Cleaner(CleanerDeps deps, CleanerOptions options);
  ~Cleaner();

  // One pass. An error is one to be tried again soon.
  Task<ReconcileResult> Reconcile(kube::NamespacedName csv);
  // One sweep over everything that is held (HoldKeeper::Sweep).
  boost::asio::awaitable<SweepResult> Sweep();

  // ClusterServiceVersions that something is remembered of.
  size_t remembered() const { return memories_.size(); }

 private:
  struct Memory;
  struct Pass;

  absl::StatusOr<olm::CsvFacts> Decode(const kube::RawObject& csv) const;
  Task<ReconcileResult> HoldRights(olm::CsvFacts csv, kube::RawObject raw);
  Task<ReconcileResult> TellRights(olm::CsvFacts csv, kube::RawObject raw,
                                   std::vector<olm::ObjectFacts> held);
  Task<ReconcileResult> Abort(olm::CsvFacts csv);
  Task<ReconcileResult> Work(Pass& pass);
  VoidTask Survey(Pass& pass);
  Task<ReconcileResult> Act(Pass& pass, olm::CleanupStep step);
  Task<ReconcileResult> WriteRecord(Pass& pass);
  Task<ReconcileResult> Delete(Pass& pass);
  // What a round has done so far, into the report.
  void Count(Pass& pass, const DeletionRound& round);
  VoidTask TellProgress(Pass& pass, const DeletionRound& so_far);
  Task<ReconcileResult> ReleaseRights(Pass& pass);
  Task<ReconcileResult> Finish(Pass& pass);
  // Marks those that are uninstalled together with this one as refused, too; false when one of
  // them changed meanwhile.
  Task<bool> MarkCoOwners(const Pass& pass);

  // Removes finalizers that are there. An object that changed meanwhile is left for the next pass.
  Task<ReconcileResult> RemoveFinalizers(const olm::CsvFacts& csv,
                                         std::vector<std::string_view> gone);
  StatusTask Annotate(const olm::CsvFacts& csv, std::string_view key, std::string value);

  static std::string WhyUnknown(const Pass& pass);
  void NoteProgress(Pass& pass);
  // When to look again at what the operator has to finish.
  absl::Duration Wait(Pass& pass);
  void JudgeStall(Pass& pass, const DeletionRound* round);
  VoidTask AskOperator(Pass& pass);
  // A step that failed, or has to be made again and again.
  VoidTask TellStall(Pass& pass, const absl::Status& failure);
  boost::asio::awaitable<absl::Duration> Tell(Pass& pass, absl::Duration next);
  boost::asio::awaitable<absl::Duration> WriteStatus(const boost::json::value& csv,
                                                     const kube::NamespacedName& name,
                                                     const CleanupReport& report, Memory& memory,
                                                     absl::Duration next);
  void Record(const olm::CsvFacts& csv, EventType type, std::string_view reason,
              const std::string& message);

  Memory& MemoryOf(const olm::CsvFacts& csv);
  void Forget(const kube::NamespacedName& csv);

  CleanerDeps deps_;
  const CleanerOptions options_;
  CsvLister csvs_;
  GuardReader guards_;
  Deleter deleter_;
  HoldKeeper holds_;
  std::map<kube::NamespacedName, std::unique_ptr<Memory>> memories_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANER_H_
