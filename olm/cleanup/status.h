// What is said about a cleanup in the status of a ClusterServiceVersion.
#ifndef OLM_CLEANUP_STATUS_H_
#define OLM_CLEANUP_STATUS_H_

#include <boost/json/array.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olm/cleanup/pending_operand.h"

namespace steward::olm {

inline constexpr size_t kMaxConditions = 20;  // as OLM
inline constexpr size_t kMaxConditionMessage = 1024;

// Reasons of the conditions that are ours. Nothing is decided by any of them.
inline constexpr std::string_view kWaitingOnCleanup = "WaitingOnCleanup";  // R-000-50
inline constexpr std::string_view kCleanupStalled = "CleanupStalled";
inline constexpr std::string_view kCleanupRefused = "CleanupRefused";
inline constexpr std::string_view kCleanupUnknown = "CleanupUnknown";
inline constexpr std::string_view kRightsHeld = "RightsHeld";
inline constexpr std::string_view kRightsMayBeLost = "RightsMayBeLost";
inline constexpr std::string_view kOptInUnconfirmed = "OptInUnconfirmed";  // R-000-76
// Whether it is one of these.
bool IsReasonOfOurs(std::string_view reason);
// Whether it is one that is said before the operator is uninstalled: the last three.
bool IsSaidBefore(std::string_view reason);

// The phase of a condition about a running cleanup. status.phase itself stays what it was.
inline constexpr std::string_view kPhaseDeleting = "Deleting";

// status.cleanup.pendingDeletion in the shape of OLM's CRD: [{group, kind, instances: [{name,
// namespace}]}], sorted; the first kMaxPendingInstances.
boost::json::array PendingDeletion(std::vector<PendingOperand> operands);

// The same of operands whose names are not to be told: each kind without instances (R-000-90).
boost::json::array PendingDeletionByKind(const std::vector<PendingKind>& kinds);

// At most `limit` bytes of it, cut at a boundary of UTF-8 characters.
std::string CutText(const std::string& text, size_t limit);

// "waiting for operator to finish cleanup for 4 CRs" (R-000-50)
std::string WaitingMessage(size_t count);
// With how many of each kind, and `where` to look: "... for 3 CRs: 1 Gadget, 2 Widget; see kubectl"
std::string WaitingMessage(const std::vector<PendingKind>& kinds, std::string_view where);
// The count in such a message, whatever follows it; nullopt for any other text.
std::optional<size_t> CountIn(std::string_view waiting_message);

struct CleanupCondition {
  std::string phase;
  std::string reason;
  std::string message;  // cut to kMaxConditionMessage
  bool operator==(const CleanupCondition&) const = default;
};

// status.conditions with `ours` in place of the conditions of ours that were there. OLM's stay in
// their order, the oldest dropped beyond kMaxConditions; what is said before stands before the
// last of OLM's, which OLM compares with, the others at the end. Equal to `live` when there is
// nothing new to say. `now` is RFC 3339.
boost::json::array WithConditions(const boost::json::array& live,
                                  const std::vector<CleanupCondition>& ours,
                                  const std::string& now);

// Whether a condition of ours with this reason is there.
bool HasCondition(const boost::json::array& live, std::string_view reason);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_STATUS_H_
