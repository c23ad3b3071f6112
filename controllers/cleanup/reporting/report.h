// What a pass of a cleanup found, and how it is told: conditions of the ClusterServiceVersion.
#ifndef CONTROLLERS_CLEANUP_REPORTING_REPORT_H_
#define CONTROLLERS_CLEANUP_REPORTING_REPORT_H_

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "controllers/cleanup/reporting/stall_detector.h"
#include "olm/cleanup/plan.h"
#include "olm/cleanup/status.h"
#include "olm/cleanup/target_set.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// Values; pure.
struct CleanupReport {
  // What is pending; nullopt: it could not be listed, and what was said before stays.
  std::optional<std::vector<olm::PendingOperand>> pending;
  size_t pending_count = 0;
  std::vector<olm::PendingKind> pending_kinds;  // as many, by kind
  // OLM copies the status into other namespaces: it names no custom resource (R-000-90).
  bool is_copied = false;
  std::string unknown;  // why nothing can be decided; "" = it can
  std::string refused;  // why nothing more is sent, while what was begun ends
  Stall stall;
  std::vector<OldestOperand> oldest;  // of what is pending
  // What the operator says of why it cannot finish; "" = nothing.
  std::string reported;
  // About the operator's rights; nullopt: nothing new is known, what was said before stays.
  std::optional<std::vector<olm::CleanupCondition>> rights;
};

// "PhaseNotSucceeded: its phase is …; SharedOwner: … (2 objects in namespaces)". What is in a
// namespace is counted, not named: CleanupStatuses and previews name it to who may know.
std::string Describe(const std::vector<olm::CleanupBlocker>& blockers);
// The first of what is in `listing`, kMaxPendingInstances at most, and definitions that are being
// deleted.
std::vector<olm::PendingOperand> PendingOf(const OperandListing& listing);
// How many there are of each kind in `listing`, sorted, and of definitions that are being deleted.
std::vector<olm::PendingKind> PendingKindsOf(const OperandListing& listing);
// Those that were deleted first, three at most, by time and name.
std::vector<OldestOperand> OldestOf(const OperandListing& listing);

// "8 custom resources were deleted; kept: gadgets.example.com (ClusterScoped)": the end of a
// cleanup (R-000-88). `whole`: all that was deleted is among `deleted`. CRs in namespaces that were
// recorded and are no `targets` any more are kept, too.
std::string DescribeEnd(size_t deleted, bool whole, const std::vector<olm::CrdPlan>& plans,
                        const olm::TargetSet& recorded, const olm::TargetSet& targets);
// "3 custom resources are left: Widget a/x, …"; "" when there are none.
std::string DescribeLeft(const OperandListing& listing);

// The merge patch of `csv`'s status, with its resourceVersion, that says what `report` says;
// nullopt when it says so already.
std::optional<boost::json::value> StatusPatch(const boost::json::value& csv,
                                              const CleanupReport& report, absl::Time now);

// status.conditions of a ClusterServiceVersion.
boost::json::array ConditionsOf(const boost::json::value& csv);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORTING_REPORT_H_
