// Which of an operator's cluster-wide rights and webhooks are held while it is opted in (R-000-73).
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

// Those that OLM deletes as soon as a ClusterServiceVersion is being deleted.
const std::vector<kube::GroupVersionResource>& HeldResources();

// The ClusterServiceVersion that OLM made the object for, by its labels.
std::optional<kube::NamespacedName> OwnerOf(const kube::LabelMap& labels);
// Selects the objects that OLM made for it.
std::string OwnerSelector(const kube::NamespacedName& csv);

// Opted in, and its rights were not let go of for good (R-000-89); neither a copy nor replaced,
// unless deletions of its custom resources may have begun.
bool WantsHolds(const CsvFacts& csv);

enum class HoldAction { kNone, kAdd, kRelease };
// `owner` is what OwnerOf names, null when there is none in the cluster. An object that was deleted
// before its owner is an administrator's doing and let go of at once; so `owner` has to be read
// after `object`.
HoldAction NextHoldAction(const ObjectFacts& object, const CsvFacts* owner);

// What to say of the operator's rights; nullopt: nothing (yet). `objects` are those that OLM made
// for it; `was_held`: kRightsHeld is what was said before.
std::optional<CleanupCondition> RightsCondition(const CsvFacts& csv, bool was_held,
                                                const std::vector<ObjectFacts>& objects);

}  // namespace steward::olm

#endif  // OLM_CLEANUP_HOLDS_H_
