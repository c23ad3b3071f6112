// What a pass of a cleanup found, and how it is told: conditions of the ClusterServiceVersion.
#ifndef CONTROLLERS_CLEANUP_REPORT_H_
#define CONTROLLERS_CLEANUP_REPORT_H_

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "controllers/cleanup/operands/metrics.h"
#include "controllers/cleanup/operands/operand_lister.h"
#include "olm/cleanup/status.h"
#include "olm/cleanup/verdict.h"

namespace steward::controllers {

// Values; pure.
struct CleanupReport {
  // What is pending; nullopt: it could not be listed, and what was said before stays.
  std::optional<std::vector<olm::PendingOperand>> pending;
  size_t pending_count = 0;
  std::string unknown;  // why nothing can be decided; "" = it can
  std::string refused;  // why nothing more is sent, while what was begun ends
  // "" = it goes on; else why not: kStalledReason, ...
  std::string stalled;
  std::string stalled_message;
  // What the operator says of why it cannot finish; "" = nothing.
  std::string reported;
  // About the operator's rights; nullopt: nothing new is known, what was said before stays.
  std::optional<std::vector<olm::CleanupCondition>> rights;
};

inline constexpr char kNoProgress[] = "NoProgress";
inline constexpr char kOperandsRecreated[] = "OperandsRecreated";
inline constexpr char kDeletionDenied[] = "DeletionDenied";
inline constexpr char kOperatorReportsFailure[] = "OperatorReportsFailure";

// "PhaseNotSucceeded: its phase is …; SharedOwner: … (a/b, c/d)"
std::string Describe(const std::vector<olm::CleanupBlocker>& blockers);
// The first of what is in `listing`, kMaxPendingInstances at most, and definitions that are being
// deleted.
std::vector<olm::PendingOperand> PendingOf(const OperandListing& listing);
// Those that were deleted first, three at most, by time and name.
std::vector<OldestOperand> OldestOf(const OperandListing& listing);
// "Widget a/x (finalizers f, g), …"
std::string Describe(const std::vector<OldestOperand>& oldest);

// The merge patch of `csv`'s status, with its resourceVersion, that says what `report` says;
// nullopt when it says so already.
std::optional<boost::json::value> StatusPatch(const boost::json::value& csv,
                                              const CleanupReport& report, absl::Time now);

// status.conditions of a ClusterServiceVersion.
boost::json::array ConditionsOf(const boost::json::value& csv);

}  // namespace steward::controllers

#endif  // CONTROLLERS_CLEANUP_REPORT_H_
