// Handles opted-in operators that are not being deleted: holds their rights. Lives on one executor.
#ifndef CONTROLLERS_CLEANUP_RIGHTS_HOLD_PASS_H_
#define CONTROLLERS_CLEANUP_RIGHTS_HOLD_PASS_H_

#include "base/async/task.h"
#include "controllers/cleanup/opt_ins/opt_in_confirmer.h"
#include "controllers/cleanup/reporting/progress_reporter.h"
#include "controllers/cleanup/rights/hold_keeper.h"
#include "controllers/runtime/reconciler.h"
#include "kube/client/client.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

// Level-based: keeps no memory. Calls about different ClusterServiceVersions may overlap.
class HoldPass {
 public:
  // REQUIRES: the references outlive this object and its calls.
  HoldPass(kube::Client& client, HoldKeeper& holds, OptInConfirmer& opt_ins,
           ProgressReporter& reporter, const olm::CsvTerms& terms)
      : client_(client), holds_(holds), opt_ins_(opt_ins), reporter_(reporter), terms_(terms) {}

  // Handles `csv`, which was read as `raw`: adds missing holds, takes the hold off objects
  // that an administrator deleted, confirms the opt-in, and reports all of this in the status
  // (R-000-73, R-000-76).
  Task<ReconcileResult> Run(olm::CsvFacts csv, kube::RawObject raw);

 private:
  Task<ReconcileResult> Tell(olm::CsvFacts csv, kube::RawObject raw,
                             std::vector<olm::ObjectFacts> held);

  kube::Client& client_;
  HoldKeeper& holds_;
  OptInConfirmer& opt_ins_;
  ProgressReporter& reporter_;
  const olm::CsvTerms terms_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_RIGHTS_HOLD_PASS_H_
