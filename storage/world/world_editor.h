// Changes the objects of a World, and keeps the indexes over them right.
#ifndef STORAGE_WORLD_WORLD_EDITOR_H_
#define STORAGE_WORLD_WORLD_EDITOR_H_

#include <string>
#include <vector>

#include "kube/meta/names.h"
#include "olm/objects.h"
#include "storage/world/world.h"

namespace steward::storage {

// Knows nothing of revisions. Not thread-safe; lives as long as an edit takes.
class WorldEditor {
 public:
  explicit WorldEditor(World& world) : world_(world) {}

  // Adds or replaces an object. Each returns whether the rules can see a difference.
  bool Change(olm::CsvPtr csv);
  bool Change(olm::OperatorGroupPtr group);
  bool Change(olm::NamespacePtr ns);
  // Namespaces have no `key.ns`.
  bool Drop(Source source, const kube::NamespacedName& key);

  // Puts the object, or none, into the place named by `key`.
  void Restore(const kube::NamespacedName& key, const SourceObject& object);

 private:
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

  World& world_;
};

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_EDITOR_H_
