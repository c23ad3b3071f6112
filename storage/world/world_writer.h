// Turns ordered deltas of the sources into Worlds.
#ifndef STORAGE_WORLD_WORLD_WRITER_H_
#define STORAGE_WORLD_WORLD_WRITER_H_

#include <set>
#include <string>
#include <vector>

#include "olm/objects.h"
#include "storage/world/world.h"

namespace steward::storage {

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
  // The kind does not exist in the cluster: empty, and synced.
  void ReplaceAbsent(Source source);

  // The stream is complete up to `revision` (a bookmark).
  void Progress(Source source, uint64_t revision);
  void SetConnected(Source source, bool connected);

  // O(1): a copy of pointers.
  WorldPtr Snapshot() const { return std::make_shared<const World>(world_); }

 private:
  SourceState& state(Source s) { return world_.sources_[static_cast<size_t>(s)]; }
  // Books a delta of `source`: `seen` moves; `rev` and the clock do when the delta was `visible`.
  void Advance(Source source, uint64_t revision, bool visible);

  // Each returns whether the rules can see a difference.
  bool Change(olm::CsvPtr csv);
  bool Change(olm::OperatorGroupPtr group);
  bool Change(olm::NamespacePtr ns);
  bool Drop(Source source, const kube::NamespacedName& key);
  template <typename T>
  void ReplaceAll(Source source, std::vector<kube::NamespacedName> present, std::vector<T> objects,
                  uint64_t revision);
  std::vector<kube::NamespacedName> Keys(Source source) const;

  // Recomputes which group is in force in `install_namespace` and whom it targets.
  void RefreshGroup(const std::string& install_namespace);
  // A namespace came, went (null) or changed its labels: brings it in or out of the selector
  // groups' targets.
  void RefreshSelectors(const std::string& ns, const olm::Namespace* before,
                        const olm::Namespace* after);
  void SetTargeting(const std::string& ns, const std::string& install_namespace, bool targets);
  void SetGlobal(const std::string& install_namespace, bool global);
  // The namespaces that `group` targets by list or selector.
  std::vector<std::string> ExplicitTargets(const olm::OperatorGroup& group) const;

  World world_;
  std::set<std::string>
      selector_installs_;  // install namespaces whose group in force selects by label
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_WRITER_H_
