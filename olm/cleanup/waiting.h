// The test for objects that wait for cleanup to release them. A pure function.
#ifndef OLM_CLEANUP_WAITING_H_
#define OLM_CLEANUP_WAITING_H_

#include "olm/cleanup/names.h"
#include "olm/copy.h"

namespace steward::olm {

// True when the object is being deleted, and has the current or the legacy finalizer of cleanup.
// `Facts` is CsvFacts or ObjectFacts.
template <typename Facts>
bool WaitsForCleanup(const Facts& facts) {
  return facts.deleting() &&
         (facts.HasFinalizer(kCleanupFinalizer) || facts.HasFinalizer(kLegacyCleanupFinalizer));
}

}  // namespace steward::olm

#endif  // OLM_CLEANUP_WAITING_H_
