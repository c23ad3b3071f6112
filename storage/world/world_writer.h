// Turns ordered deltas of the sources into Worlds.
#ifndef STORAGE_WORLD_WORLD_WRITER_H_
#define STORAGE_WORLD_WORLD_WRITER_H_

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "olm/objects.h"
#include "storage/world/world.h"

namespace steward::storage {

// Two periods of kube-apiserver's bookmarks and slack: so long after a bookmark came here, every
// healthy replica has had one as new.
inline constexpr absl::Duration kBookmarkAge = absl::Seconds(150);

// The one writer. Not thread-safe. Each call brings one delta in; `Snapshot` is the World that
// results from all so far. A delta that changes nothing that the rules read moves `seen` alone.
class WorldWriter {
 public:
  // One object added or changed at `revision`. Equal objects count as no change.
  void Put(olm::CsvPtr csv, uint64_t revision);
  void Put(olm::OperatorGroupPtr group, uint64_t revision);
  void Put(olm::NamespacePtr ns, uint64_t revision);
  // One object deleted at `revision`; absent ones count as no change. Namespaces have no `key.ns`.
  void Remove(Source source, const kube::NamespacedName& key, uint64_t revision);

  // The complete state of a source at `revision`: what is not in `objects` is gone.
  void Replace(std::vector<olm::CsvPtr> objects, uint64_t revision);
  void Replace(std::vector<olm::OperatorGroupPtr> objects, uint64_t revision);
  void Replace(std::vector<olm::NamespacePtr> objects, uint64_t revision);
  // The kind does not exist in the cluster: empty, synced, and absent until it is replaced again.
  void ReplaceAbsent(Source source);

  // The stream is complete up to `revision`.
  void Progress(Source source, uint64_t revision);
  // A bookmark says so. Once it is kBookmarkAge old, every replica can be expected to have had it,
  // and numbers name the state by it.
  void Bookmark(Source source, uint64_t revision, absl::Time now);
  // A list at `revision` gave what is held; what happened since seen() is unknown, and comes no
  // more. REQUIRES: the source is synced, and `revision` above seen().
  void Confirm(Source source, uint64_t revision);
  void SetConnected(Source source, bool connected);

  // Newest revision up to which a source is known.
  uint64_t seen(Source source) const { return world_.source(source).seen(); }

  // O(1): a copy of pointers.
  WorldPtr Snapshot() const { return std::make_shared<const World>(world_); }

 private:
  SourceState& state(Source s) { return world_.sources_[static_cast<size_t>(s)]; }

  template <typename T>
  void PutOne(Source source, T object, uint64_t revision);
  template <typename T>
  void ReplaceAll(Source source, std::vector<kube::NamespacedName> present, std::vector<T> objects,
                  uint64_t revision);
  std::vector<kube::NamespacedName> Keys(Source source) const;
  SourceObject Present(Source source, const kube::NamespacedName& key) const;

  // Each returns whether the rules can see a difference; then it is logged.
  template <typename T>
  bool ChangeAndLog(Source source, T object, uint64_t revision, uint64_t floor);
  bool DropAndLog(Source source, const kube::NamespacedName& key, uint64_t revision,
                  uint64_t floor);
  // Books a delta of `source`, whose history knows of it already.
  void Advance(Source source, uint64_t revision, bool visible);
  void RaiseAbsent();

  struct Evidence {
    absl::Time time;
    uint64_t revision;
  };

  World world_;
  std::array<std::deque<Evidence>, kSources>
      evidence_;                              // bookmarks younger than kBookmarkAge, and one
  std::array<uint64_t, kSources> lift_ = {};  // the newest that is older; 0 = none
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_WRITER_H_
