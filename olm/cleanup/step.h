// The next step in the uninstallation of an operator, up to the removal of its finalizer. Pure
// functions.
#ifndef OLM_CLEANUP_STEP_H_
#define OLM_CLEANUP_STEP_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olm/cleanup/facts.h"
#include "olm/cleanup/read.h"
#include "olm/cleanup/verdict.h"

namespace steward::olm {

enum class CleanupStep {
  kNothing,           // not being deleted, or without the finalizer
  kAbort,             // spec.cleanup.enabled is not true: release everything at once (R-000-42)
  kRecord,            // write the record
  kDelete,            // send the deletions that are due, and wait for them
  kDrain,             // send no more deletions, but wait for those already sent
  kRetry,             // something could not be read: send and release nothing
  kSettle,            // an unanswered DELETE may still arrive: release nothing yet (R-000-78)
  kConfirm,           // refused: read once more before anything is released (R-000-89)
  kReleaseRights,     // release the operator's rights, for good
  kReleaseFinalizer,  // the rights are released: remove the finalizer
};
std::string_view ToString(CleanupStep step);

struct StepInputs {
  CleanupVerdictKind verdict = CleanupVerdictKind::kUnknown;
  bool recorded = false;           // there is a record
  bool may_have_sent = true;       // verdict.h
  bool nobody_can_finish = false;  // verdict.h
  bool refused_before = false;     // the verdict was the same in an earlier reading, some time ago
  // A DELETE without an answer may still be carried out, and delete CRs that would otherwise be
  // kept.
  bool may_arrive = false;
  // The number of CRs and of definitions being deleted that must be gone first (CrdPlan). Ok only
  // after everything was listed once.
  Read<size_t> pending;
  // The number of objects that are held for this operator (holds.h).
  Read<size_t> holds;
};

// kNothing or kAbort, if the ClusterServiceVersion alone decides, so that no guard has to be read;
// else nullopt.
std::optional<CleanupStep> EarlyCleanupStep(const CsvFacts& csv);

// True when NextCleanupStep needs `inputs.pending`. False when nothing was ever sent, or after the
// rights were released, because then there is nothing to wait for.
bool NeedsPending(const CsvFacts& csv, const StepInputs& inputs);

// The order is that of R-000-73: operands, rights, finalizer. Once the rights are released, the
// finalizer is removed, whatever the verdict is by then (R-000-89). If nothing was sent and there
// is no room for kRightsReleasedAnnotation, the finalizer is removed first, and the sweep of held
// rights releases the rights later.
CleanupStep NextCleanupStep(const CsvFacts& csv, const StepInputs& inputs);

// The finalizers without those in `gone`, in their order.
std::vector<std::string> FinalizersWithout(const std::vector<std::string>& finalizers,
                                           const std::vector<std::string_view>& gone);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_STEP_H_
