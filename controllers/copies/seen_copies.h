// The content of slots, from a World and an index of copies. Pure functions.
#ifndef CONTROLLERS_COPIES_SEEN_COPIES_H_
#define CONTROLLERS_COPIES_SEEN_COPIES_H_

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "controllers/runtime/compact_index.h"
#include "kube/meta/names.h"
#include "olm/copy/comparison.h"
#include "olm/copy/slot.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"

namespace steward::controllers {

// The tag of a copy in an index: a digest of its original's namespace. Tells originals of one name
// apart within this process; nobody can choose two namespaces with the same tag.
uint32_t TagOfSource(std::string_view source);

// The originals of a name, with their groups. `installs` are namespaces that may have such an
// original. The result borrows from the World.
std::vector<olm::Original> OriginalsIn(const storage::OperatorWorld& world, const std::string& name,
                                       const std::set<std::string>& installs);

// Returns the content of the slot `key`. REQUIRES: `originals` are all originals of its name, and
// outlive the result.
olm::SeenSlot SeeSlot(const storage::OperatorWorld& world, const CompactIndex& copies,
                      const kube::NamespacedName& key, const std::vector<olm::Original>& originals);

// Compares the slots of one name in all namespaces of the World with what they shall hold.
void CompareSlots(
    const storage::OperatorWorld& world, const CompactIndex& copies, const std::string& name,
    const std::vector<olm::Original>& originals, const olm::CopyPolicy& policy,
    const std::function<void(const olm::Namespace& ns, const olm::ComparedSlot& slot)>& visit);

}  // namespace steward::controllers

#endif  // CONTROLLERS_COPIES_SEEN_COPIES_H_
