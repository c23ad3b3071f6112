// Confirms opt-ins to cleanup that the admission policy has judged (R-000-76). Lives on one
// executor.
#ifndef CONTROLLERS_CLEANUP_OPT_INS_OPT_IN_CONFIRMER_H_
#define CONTROLLERS_CLEANUP_OPT_INS_OPT_IN_CONFIRMER_H_

#include <set>

#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/cleanup/guards/csv_lister.h"
#include "controllers/cleanup/guards/guard_reader.h"
#include "controllers/cleanup/guards/protection_reader.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/opt_ins/opt_in_register.h"
#include "controllers/cleanup/reporting/csv_writer.h"
#include "kube/client/client.h"
#include "kube/meta/names.h"
#include "olm/cleanup/facts.h"
#include "olm/csv_facts.h"

namespace steward::controllers {

// Writes kConfirmedLabel if it is known that the user who opted in was authorised. Remembers for
// that which objects existed without an opt-in. Does nothing with --allow-unprotected-opt-in. Calls
// about different ClusterServiceVersions may overlap.
class OptInConfirmer {
 public:
  // REQUIRES: the references outlive this object and its calls.
  OptInConfirmer(kube::Client& client, CsvLister& csvs, CsvWriter& writer, CleanupMetrics& metrics,
                 Clock& clock, const GuardOptions& options);

  // Confirms the opt-in of the opted-in `csv`. Returns true when this call or somebody else changed
  // the object, so that the caller looks again.
  Task<bool> Confirm(olm::CsvFacts csv);
  // As Confirm, with a policy that was just read.
  Task<bool> ConfirmBy(olm::PolicyFacts policy, olm::CsvFacts csv);
  // Remembers that a ClusterServiceVersion is not opted in, unless it cannot be read.
  VoidTask NoteWithout(kube::NamespacedName csv);
  // As NoteWithout for all ClusterServiceVersions, once for each state of the policy. Returns those
  // that are opted in by now.
  Task<std::set<kube::NamespacedName>> NoteAll();

  // The result of the last Confirm.
  bool IsUnconfirmed(const kube::NamespacedName& csv) const { return opt_ins_.IsUnconfirmed(csv); }
  void Forget(const kube::NamespacedName& csv);

 private:
  CsvLister& csvs_;
  CsvWriter& writer_;
  CleanupMetrics& metrics_;
  Clock& clock_;
  const bool wanted_;
  ProtectionReader protection_;
  OptInRegister opt_ins_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPT_INS_OPT_IN_CONFIRMER_H_
