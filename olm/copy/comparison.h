// The comparison of slots with what they shall hold, for the operators that the cluster-admin's
// choice is about. Pure functions.
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
  // The original of that copy; null: it is not there any more.
  const Original* copied = nullptr;
};

enum class SlotFinding {
  kOther,             // nothing, or a copy that the choice is not about
  kRight,             // a copy, and nothing says that it shall not be there
  kMissing,           // empty, and shall hold a copy
  kUnwanted,          // a copy, and shall be empty
  kLeftByDeletion,    // likewise, but it stays while its original is being deleted
  kLeftWithoutGroup,  // likewise, but it stays, as its original has not exactly one valid group
  kOrphan,            // a copy whose original is gone, and shall be empty
};

struct ComparedSlot {
  SlotFinding finding = SlotFinding::kOther;
  // The original of the copy that is, or shall be, there; null for kOther and kOrphan.
  const Csv* original = nullptr;
  bool has_copy = false;  // as seen
};
// `originals` are those of the slot's name, and `seen.copied` is one of them.
ComparedSlot CompareSlot(const Namespace& ns, const std::vector<Original>& originals,
                         const SeenSlot& seen, const CopyPolicy& policy);

// The reason why a copy stays that the choice may want gone; "" for other findings.
std::string_view WhyItStays(SlotFinding finding);

// The slots of operators for all namespaces that are not as they shall be.
struct CopyCounts {
  size_t right = 0;       // hold a copy that may be there
  size_t missing = 0;     // empty, and shall hold a copy
  size_t unexpected = 0;  // hold a copy, and shall be empty
  // Hold a copy of which nobody knows whether its operator is one for all namespaces: the original
  // is gone, or has not exactly one valid OperatorGroup.
  size_t unexplained = 0;

  void Add(SlotFinding finding);
  CopyCounts& operator+=(const CopyCounts& other);
};

}  // namespace steward::olm

#endif  // OLM_COPY_COMPARISON_H_
