// Previews cleanups, lists their pending operands, and aborts them, on request. Lives on one
// executor.
#ifndef CONTROLLERS_CLEANUP_INSPECTOR_H_
#define CONTROLLERS_CLEANUP_INSPECTOR_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/operands/operand_counter.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/runtime/events/event_recorder.h"
#include "kube/client/client.h"
#include "kube/dry_run/dry_run_client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/record.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// The opt-in that a preview assumes.
enum class SupposedOptIn { kAsItIs, kGiven, kWithdrawn };

struct CleanupPreview {
  bool deleting = false;  // the operator is being deleted
  olm::Verdict verdict;
  std::optional<olm::CleanupRecord> record;  // of a cleanup that has begun
  std::vector<OperandCount> definitions;     // one for each owned definition, sorted by name
};

// Reads live, with the cleaner's own guards. Its only lasting write is the field that Abort sets.
// Errors carry the Kubernetes Status if there is one: NotFound when there is no such
// ClusterServiceVersion or it is a copy. kUnavailable when a needed object could not be read.
//
// Calls may overlap. Needs no leadership, because an abort can only stop deletions.
class CleanupInspector {
 public:
  // REQUIRES: `client`, `clock` and `events` outlive this object and its calls.
  CleanupInspector(kube::Client& client, Clock& clock, KnownCsvs known, GuardOptions options,
                   EventRecorder& events);

  // All custom resources that would be deleted now or that a cleanup waits for. Empty unless
  // cleanup is enabled and opted in.
  Task<OperandListing> Pending(kube::NamespacedName csv);

  // The verdict as if the operator were being deleted now, and the counts; with the first `keep`
  // operands of each definition. Ignores `opt_in` for an operator that is being deleted.
  Task<CleanupPreview> Preview(kube::NamespacedName csv,
                               SupposedOptIn opt_in = SupposedOptIn::kAsItIs, size_t keep = 0);

  // The cluster's answer to the deletion of an operand, as the cleaner would send it, with
  // dryRun=All. REQUIRES: the references outlive the call.
  StatusTask TryDelete(const kube::GroupVersionResource& gvr, const CountedOperand& operand);

  // Sets spec.cleanup.enabled to false; returns false when it was not true. An empty `uid` accepts
  // any object of the name; Conflict if the object has another UID. Tries again when the object
  // changes meanwhile. Records the Event CleanupDisabled on the object. The message contains `by`,
  // for example `"alice"`.
  Task<bool> Abort(kube::NamespacedName csv, std::string uid, std::string by);

 private:
  Task<GuardReading> Look(kube::NamespacedName csv);

  kube::Client& client_;
  kube::DryRunClient tries_;
  const olm::CsvTerms terms_;
  CsvLister csvs_;
  GuardReader guards_;
  const size_t width_;
  EventRecorder& events_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_INSPECTOR_H_
