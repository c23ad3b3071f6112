#include "olm/copy/slot.h"

#include "olm/collision.h"
#include "olm/copy.h"
#include "olm/targets.h"

namespace steward::olm {
namespace {

bool IsDeleting(const Csv& csv) { return csv.cleanup != nullptr && csv.cleanup->facts.deleting(); }

// True if the original failed for the only reason for which OLM deletes its copies while the
// original stays.
bool LostItsApis(const Csv& csv) {
  return csv.phase == "Failed" && csv.reason == "InterOperatorGroupOwnerConflict";
}

bool HasValidGroup(const Original& original) {
  return original.group != nullptr && KindOfTargets(*original.group) != TargetKind::kNone;
}

}  // namespace

bool IsForAllNamespaces(const Original& original) {
  return original.group != nullptr && KindOfTargets(*original.group) == TargetKind::kAll;
}

Claim ClaimOn(const Original& original, const Namespace& ns, const CopyPolicy& policy) {
  const Csv& csv = *original.csv;
  if (csv.copied || csv.key.ns == ns.name) return Claim::kNone;
  // Without exactly one valid group nobody knows where the operator works.
  if (!HasValidGroup(original)) return Claim::kLeaves;
  const bool copiable = !IsUncopiable(csv.phase, csv.reason);
  const bool chosen =
      IsForAllNamespaces(original) && !policy.protected_namespaces.contains(ns.name);
  if (chosen && policy.global == CopyPolicy::Global::kUnknown) return Claim::kLeaves;
  const bool targets = Targets(*original.group, ns.name, ns.labels) &&
                       !(chosen && policy.global == CopyPolicy::Global::kNotCopied);
  // Copies of an original that is being deleted stay until the original is gone.
  if (IsDeleting(csv)) return targets && copiable ? Claim::kHolds : Claim::kLeaves;
  if (!targets || LostItsApis(csv)) return Claim::kNone;
  return copiable ? Claim::kWants : Claim::kLeaves;
}

Slot SlotIn(const Namespace& ns, const std::vector<Original>& originals, const SlotContent& content,
            const CopyPolicy& policy) {
  Slot slot;
  if (ns.terminating) return slot;
  const Original* winner = nullptr;
  bool winner_wants = false;
  bool stays = false;
  for (const Original& original : originals) {
    const Claim claim = ClaimOn(original, ns, policy);
    if (original.csv == content.copy_of) stays = claim != Claim::kNone;
    if (claim == Claim::kLeaves || claim == Claim::kNone) continue;
    if (claim == Claim::kWants) slot.refused.push_back(original.csv);
    if (winner == nullptr || WinsIn(ns.name, *original.csv, *winner->csv)) {
      winner = &original;
      winner_wants = claim == Claim::kWants;
    }
  }
  if (content.taken) return slot;
  if (winner_wants) {
    slot.kind = Slot::Kind::kCopy;
    slot.source = winner->csv;
    std::erase(slot.refused, winner->csv);
  } else if (!stays) {
    slot.kind = Slot::Kind::kEmpty;
  }
  return slot;
}

bool StaysTurnedOff(const Original& original, const Namespace& ns, const CopyPolicy& policy) {
  return policy.global == CopyPolicy::Global::kNotCopied &&
         !policy.protected_namespaces.contains(ns.name) &&
         (IsForAllNamespaces(original) || !HasValidGroup(original)) &&
         ClaimOn(original, ns, policy) == Claim::kLeaves;
}

}  // namespace steward::olm
