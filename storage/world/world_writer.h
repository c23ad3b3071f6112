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

// Two periods of kube-apiserver's bookmarks, and slack: this long after a bookmark arrived here,
// every healthy replica has received one at least as new.
inline constexpr absl::Duration kBookmarkAge = absl::Seconds(150);

// Each call applies one delta; `Snapshot` is the World that results from all so far. A delta that
// changes nothing that the rules read only moves `seen`.
class WorldWriter {
 public:
  explicit WorldWriter(const SourceSet& set) : world_(set.make_empty()) {}
  WorldWriter(WorldWriter&&) = default;
  WorldWriter& operator=(WorldWriter&&) = default;

  // Records an object added or changed at `revision`. An equal object is no change.
  void Put(Source source, ObjectPtr object, uint64_t revision);
  // Records an object deleted at `revision`; an absent one is no change.
  void Remove(Source source, const kube::NamespacedName& key, uint64_t revision);

  // Sets the complete state of a source at `revision`: objects that are not in `objects` are gone.
  void Replace(Source source, std::vector<ObjectPtr> objects, uint64_t revision);
  // Records that the kind does not exist in the cluster: it is empty, synced, and absent until the
  // next Replace.
  void ReplaceAbsent(Source source);

  // Records that the stream is complete up to `revision`.
  void Progress(Source source, uint64_t revision);
  // Records the same from a bookmark. Once it is kBookmarkAge old, every replica can be expected to
  // have had it, and numbers name the state by it.
  void Bookmark(Source source, uint64_t revision, absl::Time now);
  // Records that a list at `revision` equals the objects that are held; changes since seen() are
  // unknown and will not be told. REQUIRES: the source is synced, and `revision` above seen().
  void Confirm(Source source, uint64_t revision);
  // Records the complete state of a source at a past `revision`: its objects then, or nullopt for
  // those of the present. Without effect if that state is known already.
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
  // Records the effects of a delta of `source`, which is in its history already.
  void Advance(Source source, uint64_t revision, bool visible);
  void RaiseAbsent();

  struct Evidence {
    absl::Time time;
    uint64_t revision;
  };

  std::shared_ptr<World> world_;  // not shared
  std::array<std::deque<Evidence>, kMaxSources>
      evidence_;  // bookmarks younger than kBookmarkAge, and one more
  std::array<uint64_t, kMaxSources> lift_ = {};  // the newest that is older; 0 = none
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_WRITER_H_
