// The report of one pass of a cleanup, and its form as conditions of the ClusterServiceVersion.
// Values and pure functions.
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

// The findings of one pass.
struct CleanupReport {
  // The pending operands; nullopt: they could not be listed, and the previous report stays.
  std::optional<std::vector<olm::PendingOperand>> pending;
  size_t pending_count = 0;  // custom resources
  size_t definitions = 0;    // definitions that are being deleted and that the cleanup waits for
  std::vector<olm::PendingKind> pending_kinds;  // custom resources and definitions, by kind
  // OLM copies the status into other namespaces, so it must name no custom resource (R-000-90).
  bool is_copied = false;
  std::string unknown;  // why nothing can be decided; "" = the verdict is known
  std::string refused;  // why no more DELETEs are sent while earlier deletions end
  Stall stall;
  std::vector<OldestOperand> oldest;  // pending operands that were deleted first
  // The operator's reason why it cannot finish; "" = none.
  std::string reported;
  // The conditions about the operator's rights; nullopt: the previous report stays.
  std::optional<std::vector<olm::CleanupCondition>> rights;

  bool waits() const { return pending_count + definitions > 0; }
  // Sets the pending operands and their counts from `listing`.
  void Count(const OperandListing& listing);
};

// The blockers as text: "PhaseNotSucceeded: its phase is …; SharedOwner: … (2 objects in
// namespaces)". Objects in namespaces are counted, not named, because not every reader may know
// them. CleanupStatuses and previews name them to users who may.
std::string Describe(const std::vector<olm::CleanupBlocker>& blockers);
// The first pending operands in `listing`, at most kMaxPendingInstances, and definitions that are
// being deleted.
std::vector<olm::PendingOperand> PendingOf(const OperandListing& listing);
// The number of pending operands of each kind in `listing`, sorted, and of definitions that are
// being deleted.
std::vector<olm::PendingKind> PendingKindsOf(const OperandListing& listing);
// The operands that were deleted first, three at most, by time and name.
std::vector<OldestOperand> OldestOf(const OperandListing& listing);

// The end of a cleanup as text: "8 custom resources were deleted; kept: gadgets.example.com
// (ClusterScoped)" (R-000-88). `whole` is true if `deleted` counts all deletions. Also names as
// kept the custom resources in namespaces that are in `recorded` but not in `targets` any more.
std::string DescribeEnd(size_t deleted, bool whole, const std::vector<olm::CrdPlan>& plans,
                        const olm::TargetSet& recorded, const olm::TargetSet& targets);
// The custom resources that are left, as text: "3 custom resources are left: Widget a/x, …"; ""
// when there are none.
std::string DescribeLeft(const OperandListing& listing);

// The merge patch, with resourceVersion, that makes `csv`'s status show `report`; nullopt when the
// status shows it already.
std::optional<boost::json::value> StatusPatch(const boost::json::value& csv,
                                              const CleanupReport& report, absl::Time now);

// The status.conditions of a ClusterServiceVersion.
boost::json::array ConditionsOf(const boost::json::value& csv);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORTING_REPORT_H_
