// Compares what slots hold with what they shall hold, for operators that are installed for all
// namespaces: the cluster-admin's choice affects only these. Pure functions.
#ifndef OLM_COPY_COMPARISON_H_
#define OLM_COPY_COMPARISON_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "olm/copy/slot.h"
#include "olm/objects.h"

namespace steward::olm {

// The known content of a slot.
struct SeenSlot {
  bool taken = false;     // as in SlotContent
  bool has_copy = false;  // an object with the label of a copy lies there
  // The original of that copy; null = the original is gone.
  const Original* copied = nullptr;
};

enum class SlotFinding {
  kOther,             // nothing, or a copy that the choice does not affect
  kRight,             // a copy, and no rule says that it shall not be there
  kMissing,           // empty, and shall hold a copy
  kUnwanted,          // a copy, and shall be empty
  kLeftByDeletion,    // as kUnwanted, but the copy stays while its original is being deleted
  kLeftWithoutGroup,  // as kUnwanted, but the copy stays: its original lacks a single valid group
  kOrphan,            // a copy whose original is gone, and shall be empty
};

struct ComparedSlot {
  SlotFinding finding = SlotFinding::kOther;
  // The original of the copy that is, or shall be, there; null for kOther and kOrphan.
  const Csv* original = nullptr;
  bool has_copy = false;  // as seen
};
// `originals` are all originals of the slot's name; `seen.copied` is null or one of them.
ComparedSlot CompareSlot(const Namespace& ns, const std::vector<Original>& originals,
                         const SeenSlot& seen, const CopyPolicy& policy);

// The reason why a copy stays although the choice may want it gone; "" for other findings.
std::string_view WhyItStays(SlotFinding finding);

// Counts of slots of operators that are installed for all namespaces.
struct CopyCounts {
  size_t right = 0;       // hold a copy that may be there
  size_t missing = 0;     // empty, and shall hold a copy
  size_t unexpected = 0;  // hold a copy, and shall be empty
  // Hold a copy whose operator may or may not be installed for all namespaces. Nobody can tell,
  // because the original is gone or its namespace lacks a single valid OperatorGroup.
  size_t unexplained = 0;

  void Add(SlotFinding finding);
  CopyCounts& operator+=(const CopyCounts& other);
};

}  // namespace steward::olm

#endif  // OLM_COPY_COMPARISON_H_
