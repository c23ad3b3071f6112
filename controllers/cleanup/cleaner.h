// Uninstalls operators' operands: one pass over one ClusterServiceVersion at a time.
#ifndef CONTROLLERS_CLEANUP_CLEANER_H_
#define CONTROLLERS_CLEANUP_CLEANER_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <map>
#include <memory>

#include "absl/time/time.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/cleanup_memory.h"
#include "controllers/cleanup/cleanup_pass.h"
#include "controllers/cleanup/co_owners.h"
#include "controllers/cleanup/deletion_rounds.h"
#include "controllers/cleanup/finisher.h"
#include "controllers/cleanup/guards/copy_index.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/operands/deleter.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/operands/operand_watches.h"
#include "controllers/cleanup/opt_ins/opt_in_confirmer.h"
#include "controllers/cleanup/pass_reporter.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/cleanup/rights/hold_pass.h"
#include "controllers/cleanup/surveyor.h"
#include "controllers/runtime/election/leadership.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/step.h"

namespace steward::controllers {

struct CleanerOptions {
  GuardOptions guards;
  DeleterOptions deleter;
  ReporterOptions reporter;
  absl::Duration stall_timeout = absl::Minutes(10);  // --cleanup-stall-timeout
  // How often what is watched is looked at all the same: no event tells of the guards.
  absl::Duration watched_period = absl::Seconds(30);
  // A refusal counts once a reading that began so much later refuses, too (R-000-89).
  absl::Duration confirm_after = absl::Seconds(1);
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
  // Null: copies are listed with the originals.
  const CopyIndex* copies = nullptr;
};

// The order of a cleanup, each step of it decided anew in every pass from what is live
// (olm/cleanup/step.h): record, delete, wait until a complete listing is empty, let go of the
// operator's rights, confirm that, remove the finalizer. A pass that cannot read what it needs
// sends nothing and releases nothing.
//
//   Record ──► Delete ⇄ (wait) ──────────────► ReleaseRights ──► ReleaseFinalizer
//     │           │ refused                        ▲  for good
//     │           ▼                                │
//     └──────► Drain ⇄ (wait) ──► Confirm ─────────┘      Retry: from and to everywhere
//   Abort: at any time, everything at once
//
// Finalizers are only ever removed from ClusterServiceVersions.
//
// One pass of one key at a time; different keys at the same time, on one executor.
class Cleaner {
 public:
  Cleaner(CleanerDeps deps, CleanerOptions options);
  ~Cleaner();

  // One pass. An error is one to be tried again soon.
  Task<ReconcileResult> Reconcile(kube::NamespacedName csv);
  // To be called once before copies are followed: whatever is there without their label now is
  // known then, should it get the label later (CsvLister).
  StatusTask ListOriginals();
  // One sweep over everything that is held (HoldKeeper::Sweep).
  boost::asio::awaitable<SweepResult> Sweep();

  // ClusterServiceVersions that something is remembered of.
  size_t remembered() const { return memories_.size(); }

 private:
  Task<ReconcileResult> Work(CleanupPass& pass);
  void Remember(CleanupPass& pass) const;
  Task<ReconcileResult> Act(CleanupPass& pass, olm::CleanupStep step);
  Task<ReconcileResult> WriteRecord(CleanupPass& pass);
  // Makes sure that later passes refuse, too, and looks again after `next`.
  Task<ReconcileResult> StayRefused(CleanupPass& pass, absl::Duration next);

  CleanupMemory& MemoryOf(const olm::CsvFacts& csv);
  void Forget(const kube::NamespacedName& csv);

  CleanerDeps deps_;
  const CleanerOptions options_;
  CsvLister csvs_;
  GuardReader guards_;
  Deleter deleter_;
  HoldKeeper holds_;
  CsvWriter writer_;
  ProgressReporter reporter_;
  OptInConfirmer opt_ins_;
  HoldPass hold_pass_;
  CoOwners co_owners_;
  Surveyor surveyor_;
  PassReporter pass_reporter_;
  DeletionRounds rounds_;
  Finisher finisher_;
  std::map<kube::NamespacedName, std::unique_ptr<CleanupMemory>> memories_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_CLEANER_H_
