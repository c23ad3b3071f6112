// Source sets: the few watched kinds that a World is made from, with everything needed to keep the
// past of each. Constants that last as long as the program.
#ifndef STORAGE_WORLD_SOURCE_SET_H_
#define STORAGE_WORLD_SOURCE_SET_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "kube/meta/names.h"
#include "kube/meta/resource_version.h"

namespace steward::storage {

class World;

// The limit of a set's sources: a number has this many components.
inline constexpr size_t kMaxSources = kube::PackedVersion::kComponents;

// A source's place in its set.
enum class Source : size_t {};

// One revision for each source, in the order of the set: a state of all sources. 0 = too far back
// to be known. Components after the last source are 0, too.
using StateVector = std::array<uint64_t, kMaxSources>;

// An object of some source; the source determines its type. Null = no object.
using ObjectPtr = std::shared_ptr<const void>;

// A watched kind. Its functions accept one of its objects, never null.
struct SourceKind {
  // The kind's plural name, for metrics. If two sets have the same kind, one of them uses another
  // name.
  const char* resource;
  // Objects without a namespace have no `ns`.
  kube::NamespacedName (*key_of)(const ObjectPtr& object);
  size_t (*size_of)(const ObjectPtr& object);  // in bytes, estimated
  size_t undo_steps;                           // the cost of undoing a change, in steps of a Turn
};

// Each set has its own World type, and its numbers have a meaning in that set alone. Sets are told
// apart by address.
struct SourceSet {
  size_t count;
  std::array<SourceKind, kMaxSources> kinds;  // the first `count`
  // Makes a World without objects that is not synced.
  std::shared_ptr<World> (*make_empty)();

  const SourceKind& kind(Source source) const { return kinds[static_cast<size_t>(source)]; }
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_SOURCE_SET_H_
