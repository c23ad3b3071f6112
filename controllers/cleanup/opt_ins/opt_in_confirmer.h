// Confirms opt-ins to cleanup that the admission policy has seen (R-000-76).
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
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/facts.h"

namespace steward::controllers {

// Writes kConfirmedLabel, where it is known that who opted in was asked whether they may; and
// gathers what it takes to know. Does nothing with --allow-unprotected-opt-in. Lives on one
// executor; calls about different ClusterServiceVersions may overlap.
class OptInConfirmer {
 public:
  // REQUIRES: the references outlive this object and its calls.
  OptInConfirmer(kube::Client& client, CsvLister& csvs, CsvWriter& writer, CleanupMetrics& metrics,
                 Clock& clock, const GuardOptions& options);

  // Of one that is opted in, as it was read. True when it was changed, or has changed: look again.
  Task<bool> Confirm(olm::CsvFacts csv);
  // The same by a policy that was just read.
  Task<bool> ConfirmBy(olm::PolicyFacts policy, olm::CsvFacts csv);
  // Remembers that one is not opted in. What cannot be read is not remembered.
  VoidTask NoteWithout(kube::NamespacedName csv);
  // Looks at all, once for each state of the policy. Those that are opted in by now.
  Task<std::set<kube::NamespacedName>> NoteAll();

  // As of the last Confirm.
  bool IsUnconfirmed(const kube::NamespacedName& csv) const { return opt_ins_.IsUnconfirmed(csv); }
  void Forget(const kube::NamespacedName& csv);

 private:
  kube::Client& client_;
  CsvLister& csvs_;
  CsvWriter& writer_;
  CleanupMetrics& metrics_;
  Clock& clock_;
  const bool wanted_;
  const olm::CsvTerms terms_;
  ProtectionReader protection_;
  OptInRegister opt_ins_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_OPT_INS_OPT_IN_CONFIRMER_H_
