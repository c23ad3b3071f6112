#include "olm/copy/comparison.h"

#include <algorithm>

namespace steward::olm {
namespace {

ComparedSlot CompareEmpty(const std::vector<Original>& originals, const Slot& slot) {
  const bool wanted =
      slot.kind == Slot::Kind::kCopy &&
      std::any_of(originals.begin(), originals.end(), [&slot](const Original& original) {
        return original.csv == slot.source && IsForAllNamespaces(original);
      });
  if (!wanted) return {};
  return {SlotFinding::kMissing, slot.source};
}

ComparedSlot CompareCopy(const Namespace& ns, const Original* copied, bool unwanted,
                         const CopyPolicy& policy) {
  if (copied == nullptr) return {unwanted ? SlotFinding::kOrphan : SlotFinding::kOther};
  if (StaysTurnedOff(*copied, ns, policy)) {
    return {
        IsForAllNamespaces(*copied) ? SlotFinding::kLeftByDeletion : SlotFinding::kLeftWithoutGroup,
        copied->csv};
  }
  if (!IsForAllNamespaces(*copied)) return {};
  return {unwanted ? SlotFinding::kUnwanted : SlotFinding::kRight, copied->csv};
}

}  // namespace

ComparedSlot CompareSlot(const Namespace& ns, const std::vector<Original>& originals,
                         const SeenSlot& seen, const CopyPolicy& policy) {
  const Original* copied = seen.copied;
  const SlotContent content = {.taken = seen.taken,
                               .copy_of = copied == nullptr ? nullptr : copied->csv};
  const Slot slot = SlotIn(ns, originals, content, policy);
  if (!seen.has_copy) return CompareEmpty(originals, slot);
  ComparedSlot compared = CompareCopy(ns, copied, slot.kind == Slot::Kind::kEmpty, policy);
  compared.has_copy = true;
  return compared;
}

std::string_view WhyItStays(SlotFinding finding) {
  switch (finding) {
    case SlotFinding::kLeftByDeletion:
      return "it is being deleted";
    case SlotFinding::kLeftWithoutGroup:
      return "its namespace has not exactly one valid OperatorGroup";
    default:
      return "";
  }
}

void CopyCounts::Add(SlotFinding finding) {
  switch (finding) {
    case SlotFinding::kOther:
      return;
    case SlotFinding::kRight:
      ++right;
      return;
    case SlotFinding::kMissing:
      ++missing;
      return;
    case SlotFinding::kUnwanted:
    case SlotFinding::kLeftByDeletion:
      ++unexpected;
      return;
    case SlotFinding::kLeftWithoutGroup:
    case SlotFinding::kOrphan:
      ++unexplained;
      return;
  }
}

CopyCounts& CopyCounts::operator+=(const CopyCounts& other) {
  right += other.right;
  missing += other.missing;
  unexpected += other.unexpected;
  unexplained += other.unexplained;
  return *this;
}

}  // namespace steward::olm
