// The part of a ClusterServiceVersion's status that reports a cleanup. Pure functions.
#ifndef OLM_CLEANUP_STATUS_H_
#define OLM_CLEANUP_STATUS_H_

#include <boost/json/array.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "olm/csv_facts.h"
#include "olm/pending_operand.h"

namespace steward::olm {

inline constexpr size_t kMaxConditionMessage = 1024;

// True for reasons of conditions that are written before the operator is uninstalled: kRightsHeld,
// kRightsMayBeLost, kOptInUnconfirmed.
bool IsSaidBefore(std::string_view reason);

// The phase of a condition about a running cleanup. status.phase itself does not change.
inline constexpr std::string_view kPhaseDeleting = "Deleting";

// status.cleanup.pendingDeletion in the shape of OLM's CRD: [{group, kind, instances: [{name,
// namespace}]}], sorted; the first kMaxPendingInstances.
boost::json::array PendingDeletion(std::vector<PendingOperand> operands);

// Lists each kind without instances, so it shows no operand's name (R-000-90).
boost::json::array PendingDeletionByKind(const std::vector<PendingKind>& kinds);

// "waiting for operator to finish cleanup for 4 CRs" (R-000-50). Definitions that are being deleted
// are counted separately: "... for 1 CR; definitions being deleted: 1".
std::string WaitingMessage(size_t count, size_t definitions = 0);
// The message with the count of each kind and a hint `where` to look: "... for 3 CRs: 1 Gadget, 2
// Widget; see kubectl"
std::string WaitingMessage(const std::vector<PendingKind>& kinds, std::string_view where);
// The count in a WaitingMessage, whatever follows the count; nullopt for any other text.
std::optional<size_t> CountIn(std::string_view waiting_message);

struct CleanupCondition {
  std::string phase;
  std::string reason;
  std::string message;  // cut to kMaxConditionMessage
  bool operator==(const CleanupCondition&) const = default;
};

// Returns status.conditions with `ours` in place of all earlier conditions of Steward. OLM's
// conditions keep their order; beyond kMaxConditions the oldest are dropped. Conditions for which
// IsSaidBefore is true go before OLM's last condition, because OLM compares with the last one.
// Others go to the end. Equal to `live` when nothing has changed. `now` is RFC 3339.
boost::json::array WithConditions(const boost::json::array& live,
                                  const std::vector<CleanupCondition>& ours,
                                  const std::string& now);

// True when `live` has a condition of Steward with this reason.
bool HasCondition(const boost::json::array& live, std::string_view reason);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_STATUS_H_
