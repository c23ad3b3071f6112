// The rules for holding an operator's cluster-wide rights and webhooks while it is opted in
// (R-000-73). Pure functions.
#ifndef OLM_CLEANUP_HOLDS_H_
#define OLM_CLEANUP_HOLDS_H_

#include <optional>
#include <string>
#include <vector>

#include "kube/meta/names.h"
#include "kube/meta/selector.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/facts.h"
#include "olm/cleanup/status.h"

namespace steward::olm {

// The resources whose objects OLM deletes as soon as their ClusterServiceVersion is being deleted.
const std::vector<kube::GroupVersionResource>& HeldResources();

// The ClusterServiceVersion that OLM made the object for, by its labels.
std::optional<kube::NamespacedName> OwnerOf(const kube::LabelMap& labels);
// A label selector for the objects that OLM made for `csv`.
std::string OwnerSelector(const kube::NamespacedName& csv);

// True when `csv` is opted in and its rights were not released for good (R-000-89), and either
// deletions of its custom resources may have begun, or `csv` is neither a copy nor being replaced.
bool WantsHolds(const CsvFacts& csv);

enum class HoldAction { kNone, kAdd, kRelease };
// `owner` is the object that OwnerOf names, or null when it does not exist. If `object` is being
// deleted and its owner is not, an administrator deleted `object`, so it is released at once.
// Therefore read `owner` after `object`.
HoldAction NextHoldAction(const ObjectFacts& object, const CsvFacts* owner);

// The condition about the operator's rights; nullopt when there is nothing to report (yet).
// `objects` are all that OLM made for `csv`; `was_held`: the status had kRightsHeld before.
std::optional<CleanupCondition> RightsCondition(const CsvFacts& csv, bool was_held,
                                                const std::vector<ObjectFacts>& objects);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_HOLDS_H_
