// The rules for the content of a slot. A slot is a name in a namespace, where a copy can lie. Pure
// functions.
#ifndef OLM_COPY_SLOT_H_
#define OLM_COPY_SLOT_H_

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "olm/objects.h"

namespace steward::olm {

// A ClusterServiceVersion that is not a copy, and the effective OperatorGroup of its namespace:
// null when the namespace has none, or several. Borrows both.
struct Original {
  const Csv* csv;
  const OperatorGroup* group;
};

// The cluster-admin's choice about copies of operators that are installed for all namespaces
// (R-004-07, 48). It does not affect copies of other operators (R-004-28).
struct CopyPolicy {
  enum class Global {
    kCopied,
    kNotCopied,
    kUnknown,  // copies that are there stay
  };
  Global global = Global::kCopied;
  // Namespaces that have copies, whatever `global` is.
  std::set<std::string, std::less<>> protected_namespaces;

  bool operator==(const CopyPolicy&) const = default;
};
// True when CopyPolicy affects copies of this original.
bool IsForAllNamespaces(const Original& original);

enum class Claim {
  kWants,   // its copy shall be there, with its present content
  kHolds,   // as above, but it is being deleted: its copies are left as they are
  kLeaves,  // it is unknown whether its copy shall be there: an existing copy stays as it is
  kNone,    // its copy shall not be there
};
// The claim of an original on the slot of its name in `ns`.
Claim ClaimOn(const Original& original, const Namespace& ns, const CopyPolicy& policy);

// The content of a slot before anything is done.
struct SlotContent {
  // True when the namespace has an object of this name without the label of a copy.
  bool taken = false;
  // The original whose copy lies there; null when no copy does, or when its original is gone.
  const Csv* copy_of = nullptr;
};

struct Slot {
  enum class Kind {
    kCopy,   // the copy of `source`
    kAsIs,   // whatever is there stays as it is
    kEmpty,  // no copy
  };
  Kind kind = Kind::kAsIs;
  const Csv* source = nullptr;
  // Originals that want the slot and do not get it.
  std::vector<const Csv*> refused;
};

// Returns the wanted content of a slot. `originals` are those of one name, in any namespace. The
// fate of a copy depends on its own original alone: an original that neither wants, holds nor
// leaves the copy does not keep it, whatever its namesakes elsewhere do (R-004-17, 18).
//
//   Terminating namespace ─────────────────► as is
//   taken ─────────────────────────────────► as is; all who want it are refused
//   wanted by the winner (WinsIn) ─────────► its copy
//   the copy's own original has a claim ───► as is
//   else ──────────────────────────────────► empty
Slot SlotIn(const Namespace& ns, const std::vector<Original>& originals, const SlotContent& content,
            const CopyPolicy& policy);

// True when copies are turned off, and a copy of this original in `ns` stays all the same: the
// original is being deleted, or has not exactly one valid OperatorGroup, so that nobody knows
// whether it is installed for all namespaces.
bool StaysTurnedOff(const Original& original, const Namespace& ns, const CopyPolicy& policy);

}  // namespace steward::olm

#endif  // OLM_COPY_SLOT_H_
