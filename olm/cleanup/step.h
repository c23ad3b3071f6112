// What comes next in the uninstallation of an operator: when the finalizer may go.
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
  kNothing,           // it is not being deleted, or does not have the finalizer
  kAbort,             // spec.cleanup.enabled is not true: let go of everything at once (R-000-42)
  kRecord,            // write the record
  kDelete,            // delete what is to be deleted, wait for what is being deleted
  kDrain,             // send nothing more, wait for what is being deleted
  kRetry,             // something could not be read: send nothing, release nothing
  kConfirm,           // refused: look once more before anything is let go of (R-000-89)
  kReleaseRights,     // for good: let go of the operator's rights
  kReleaseFinalizer,  // the rights are let go of, too
};
std::string_view ToString(CleanupStep step);

struct StepInputs {
  CleanupVerdictKind verdict = CleanupVerdictKind::kUnknown;
  bool recorded = false;           // there is a record
  bool may_have_sent = true;       // verdict.h
  bool nobody_can_finish = false;  // verdict.h
  bool refused_before = false;     // an earlier reading, a while ago, refused, too
  // CRs, and definitions that are being deleted, that are to be gone first (CrdPlan): of one
  // complete pass over everything.
  Read<size_t> pending;
  // Objects that are held for this operator (holds.h).
  Read<size_t> holds;
};

// What can be decided by the ClusterServiceVersion alone, before the guards are read: kNothing or
// kAbort; nullopt: everything else.
std::optional<CleanupStep> EarlyCleanupStep(const CsvFacts& csv);

// Whether NextCleanupStep asks for what is pending: where nothing was ever sent, and after the
// rights were let go of, nothing is waited for.
bool NeedsPending(const CsvFacts& csv, const StepInputs& inputs);

// The order is R-000-73's: operands, rights, finalizer. Once the rights are let go of, the
// finalizer goes, whatever the verdict is by then (R-000-89).
CleanupStep NextCleanupStep(const CsvFacts& csv, const StepInputs& inputs);

// The finalizers without those of `gone`, in their order.
std::vector<std::string> FinalizersWithout(const std::vector<std::string>& finalizers,
                                           const std::vector<std::string_view>& gone);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_STEP_H_
