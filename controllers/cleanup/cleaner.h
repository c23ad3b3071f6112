// The cleaner, which uninstalls operators' operands in passes over one ClusterServiceVersion at a
// time. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_CLEANER_H_
#define CONTROLLERS_CLEANUP_CLEANER_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/co_owners.h"
#include "controllers/cleanup/deletion_rounds.h"
#include "controllers/cleanup/finisher.h"
#include "controllers/cleanup/guards/copy_index.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/guards/recently_deleted_csvs.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/operands/operand_watches.h"
#include "controllers/cleanup/opt_ins/opt_in_confirmer.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/cleanup/rights/hold_pass.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/step.h"

namespace steward::controllers {

struct CleanerOptions {
  GuardOptions guards;
  DeleterOptions deleter;
  ReporterOptions reporter;
  absl::Duration stall_timeout = absl::Minutes(10);  // --cleanup-stall-timeout
  // Watched operands are still looked at in this interval, because no event reports changes of the
  // guards.
  absl::Duration watched_period = absl::Seconds(30);
  // A refusal counts only when a reading that begins this much later is refused, too (R-000-89).
  absl::Duration confirm_after = absl::Seconds(1);
  // A DELETE without an answer may wait in a proxy, which passes it on later. By default, proxies
  // (nginx, HAProxy, cloud load balancers) give a request up after this time or sooner.
  absl::Duration arrives_within = absl::Minutes(1);
  // OLM deletes copies soon after their original, but thousands of copies take it a while.
  absl::Duration copies_go_within = absl::Minutes(2);
};

// The references and pointers outlive the cleaner.
struct CleanerDeps {
  kube::Client& client;
  const Leadership& leadership;
  EventRecorder& events;
  Clock& clock;
  CleanupMetrics& metrics;
  KnownCsvs known;
  // Null: pending operands are polled.
  OperandWatches* watches = nullptr;
  // Null: copies are listed with the originals.
  const CopyIndex* copies = nullptr;
};

// Performs the steps of a cleanup, each decided anew in every pass from live reads
// (olm/cleanup/step.h): record, delete, wait until a complete listing is empty, release the
// operator's rights, confirm that, remove the finalizer. A pass that cannot read the objects it
// needs sends nothing and releases nothing.
//
//   Record ──► Delete ⇄ (wait) ──► Settle ───────────────────► ReleaseRights ──► ReleaseFinalizer
//     │           │ refused           ▲ │                           ▲  for good
//     │           ▼                   │ ▼                           │
//     └──────► Drain ⇄ (wait) ────────┴─┴──► Confirm ───────────────┘
//   Retry: from and to everywhere       Abort: at any time, everything at once
//
// Removes finalizers from ClusterServiceVersions, and holds from rights; never a finalizer from an
// operand.
//
// A key has one pass at a time; passes of different keys overlap.
class Cleaner {
 public:
  Cleaner(CleanerDeps deps, CleanerOptions options);
  ~Cleaner();

  // Makes one pass. After an error the caller tries again soon.
  Task<ReconcileResult> Reconcile(kube::NamespacedName csv);
  // Called once before copies are followed. Makes the objects without the label of copies known, so
  // that they still count if they get the label later (CsvLister).
  StatusTask ListOriginals();
  // Makes one sweep over all held objects (HoldKeeper::Sweep).
  boost::asio::awaitable<SweepResult> Sweep();

  // The number of ClusterServiceVersions with a memory.
  size_t remembered() const { return memories_.size(); }

 private:
  Task<ReconcileResult> Work(CleanupPass& pass);
  // Fills in `listing` (if a DELETE may have been sent), `holds`, and the parts of `report` about
  // both. Does neither if no step could use it. Adds missing holds while operands are pending.
  VoidTask Survey(CleanupPass& pass);
  VoidTask ListPending(CleanupPass& pass);
  Task<ReconcileResult> Act(CleanupPass& pass, olm::CleanupStep step);
  Task<ReconcileResult> WriteRecord(CleanupPass& pass);
  // Waits for DELETEs that may still arrive.
  Task<ReconcileResult> Settle(CleanupPass& pass);
  // Makes sure that later passes are refused, too, and looks again after `next`.
  Task<ReconcileResult> StayRefused(CleanupPass& pass, absl::Duration next);

  void Forget(const kube::NamespacedName& csv);

  CleanerDeps deps_;
  const CleanerOptions options_;
  RecentlyDeletedCsvs recently_deleted_;
  CsvLister csvs_;
  GuardReader guards_;
  HoldKeeper holds_;
  CsvWriter writer_;
  ProgressReporter reporter_;
  OptInConfirmer opt_ins_;
  HoldPass hold_pass_;
  CoOwners co_owners_;
  DeletionRounds rounds_;
  Finisher finisher_;
  CleanupMemories memories_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANER_H_
