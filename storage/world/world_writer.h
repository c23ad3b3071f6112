// The only writer of Worlds, from ordered deltas of the sources. Not thread-safe.
#ifndef STORAGE_WORLD_WORLD_WRITER_H_
#define STORAGE_WORLD_WORLD_WRITER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/time/time.h"
#include "kube/meta/names.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// The age at which every healthy replica has received a bookmark at least as new as one that
// arrived here. It is two periods of the kube-apiserver's bookmarks, and slack.
inline constexpr absl::Duration kBookmarkAge = absl::Seconds(150);

// Each call applies one delta. `Snapshot` returns the World that results from all deltas so far. A
// delta that changes nothing that the rules read only moves `seen`.
class WorldWriter {
 public:
  explicit WorldWriter(const SourceSet& set) : world_(set.make_empty()) {}
  WorldWriter(WorldWriter&&) = default;
  WorldWriter& operator=(WorldWriter&&) = default;

  // Records that an object was added or changed at `revision`. Putting an equal object changes
  // nothing.
  void Put(Source source, ObjectPtr object, uint64_t revision);
  // Records that an object was deleted at `revision`. Removing an absent object changes nothing.
  void Remove(Source source, const kube::NamespacedName& key, uint64_t revision);

  // Sets the complete state of a source at `revision`: objects that are not in `objects` are gone.
  void Replace(Source source, std::vector<ObjectPtr> objects, uint64_t revision);
  // Records that the kind does not exist in the cluster: it is empty, synced, and absent until the
  // next Replace.
  void ReplaceAbsent(Source source);

  // Records that the stream is complete up to `revision`.
  void Progress(Source source, uint64_t revision);
  // Records the same from a bookmark. When the bookmark is kBookmarkAge old, every replica can be
  // expected to have reached `revision`, so numbers may name the state by it.
  void Bookmark(Source source, uint64_t revision, absl::Time now);
  // Records that a list at `revision` equals the held objects. The changes between seen() and
  // `revision` stay unknown: the caller must not deliver them later. REQUIRES: the source is
  // synced, and `revision` above seen().
  void Confirm(Source source, uint64_t revision);
  // Records the complete state of a source at a past `revision`: its objects then, or nullopt if
  // they equal the current ones. Has no effect if that state is known already.
  void Recall(Source source, uint64_t revision, std::optional<std::vector<ObjectPtr>> objects);
  // Records that the cluster does not know the states up to `revision` any more.
  void Forget(Source source, uint64_t revision) { state(source).history.Forget(revision); }
  void SetConnected(Source source, bool connected);

  Knowledge Knows(Source source, uint64_t revision) const {
    return world_->source(source).history.Knows(revision);
  }
  // The newest revision up to which a source is known.
  uint64_t seen(Source source) const { return world_->source(source).seen(); }

  // O(1): a copy of pointers.
  WorldPtr Snapshot() const { return world_->Copy(); }

 private:
  SourceState& state(Source s) { return world_->sources_[static_cast<size_t>(s)]; }
  std::span<SourceState> states() { return {world_->sources_.data(), world_->set().count}; }

  // Both return true if the rules can see a difference, which is then logged.
  bool PutAndLog(Source source, ObjectPtr object, uint64_t revision, uint64_t floor);
  bool DropAndLog(Source source, const kube::NamespacedName& key, uint64_t revision,
                  uint64_t floor);
  void Log(Source source, uint64_t floor, kube::NamespacedName key, ObjectPtr before,
           uint64_t revision);
  // Updates rev, component and the count of changes after a delta of `source`, whose history has
  // the delta already.
  void Advance(Source source, uint64_t revision, bool visible);
  void RaiseAbsent();

  struct Evidence {
    absl::Time time;
    uint64_t revision;
  };

  std::shared_ptr<World> world_;  // not shared
  std::array<std::deque<Evidence>, kMaxSources>
      evidence_;  // the bookmarks younger than kBookmarkAge, and the newest older one
  std::array<uint64_t, kMaxSources> lift_ = {};  // newest bookmark older than that; 0 = none
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_WRITER_H_
