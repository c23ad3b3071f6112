// The World: the inputs of all virtual resources of one source set, at one moment. Immutable once
// published, so thread-safe.
#ifndef STORAGE_WORLD_WORLD_H_
#define STORAGE_WORLD_WORLD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "kube/meta/names.h"
#include "storage/world/history.h"
#include "storage/world/source_set.h"

namespace steward::storage {

// The state of one watched kind, without its objects.
struct SourceState {
  // True once the kind has been listed completely, or is known not to exist.
  bool synced = false;
  bool absent = false;  // the kind does not exist in the cluster
  bool connected = false;
  uint64_t rev = 0;  // revision of the last change that the rules can see
  // The revision by which numbers name the current state: `rev`, or a later one that every replica
  // can be expected to have reached.
  uint64_t component = 0;
  History history;

  // The newest revision up to which the stream is known to be complete.
  uint64_t seen() const { return history.seen(); }
};

// The common part of all Worlds. The World of a set (OperatorWorld) adds its objects, and the
// indexes over them.
class World {
 public:
  virtual ~World() = default;
  World& operator=(const World&) = delete;

  const SourceSet& set() const { return *set_; }
  // The states of the sources, in the order of the set.
  std::span<const SourceState> sources() const { return {sources_.data(), set_->count}; }
  const SourceState& source(Source s) const { return sources_[static_cast<size_t>(s)]; }
  bool synced() const;
  // True if every stream is connected; if not, answers may be older than the stream's usual lag.
  bool connected() const;

  // The state of this World, as numbers name it.
  StateVector Vector() const;
  // Says whether this World has the state at `vector`: kForgotten if any source has forgotten it,
  // else kNotYet if any has not reached it. A vector of a larger set is kForgotten.
  Knowledge Knows(const StateVector& vector) const;
  // True if some source and the cluster have both forgotten the state at `vector`.
  bool IsGone(const StateVector& vector) const;
  // True if every source has reached `vector`, so that this World is not older than that state.
  bool HasReached(const StateVector& vector) const;
  // The number of changes, since the start, that the rules could see.
  uint64_t changes() const { return changes_; }
  // Incremented each time that a list shows another etcd, which invalidates earlier numbers.
  uint64_t epoch() const { return epoch_; }

  // CountOf returns the number of a source's objects, KeysOf their keys, sorted.
  virtual size_t CountOf(Source source) const = 0;
  virtual std::vector<kube::NamespacedName> KeysOf(Source source) const = 0;

  // Returns a copy that shares all parts until they change. Code that makes the next World, or a
  // past World, starts with a copy.
  virtual std::shared_ptr<World> Copy() const = 0;
  // Put adds or replaces an object; Drop removes an object. If the rules can see a difference, both
  // return the former object (null if there was none), else nullopt. Neither changes revisions or
  // the history.
  virtual std::optional<ObjectPtr> Put(Source source, ObjectPtr object) = 0;
  virtual std::optional<ObjectPtr> Drop(Source source, const kube::NamespacedName& key) = 0;

 protected:
  explicit World(const SourceSet& set) : set_(&set) {}
  World(const World&) = default;

 private:
  friend class WorldWriter;

  const SourceSet* set_;
  std::array<SourceState, kMaxSources> sources_;
  uint64_t changes_ = 0;
  uint64_t epoch_ = 0;
};

using WorldPtr = std::shared_ptr<const World>;

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_H_
