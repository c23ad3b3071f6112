// Changes an OperatorWorld's objects, and keeps the indexes over them right. Not thread-safe.
#ifndef STORAGE_OPERATORS_OPERATOR_EDITOR_H_
#define STORAGE_OPERATORS_OPERATOR_EDITOR_H_

#include <optional>
#include <string>
#include <vector>

#include "kube/meta/names.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/world/source_set.h"

namespace steward::storage {

// Exists only during an edit of `world`.
class OperatorEditor {
 public:
  explicit OperatorEditor(OperatorWorld& world) : world_(world) {}

  // Implement World::Put and World::Drop. An object that differs only in `written` is put, but is
  // no visible difference.
  std::optional<ObjectPtr> Put(olm::CsvPtr csv);
  std::optional<ObjectPtr> Put(olm::OperatorGroupPtr group);
  std::optional<ObjectPtr> Put(olm::NamespacePtr ns);
  std::optional<ObjectPtr> DropCsv(const kube::NamespacedName& key);
  std::optional<ObjectPtr> DropGroup(const kube::NamespacedName& key);
  std::optional<ObjectPtr> DropNamespace(const std::string& name);

 private:
  // Recomputes which group is in force in `install_namespace`, and its targets.
  void RefreshGroup(const std::string& install_namespace);
  // Updates the targets of the selector groups after a namespace came, went (null) or changed its
  // labels.
  void RefreshSelectors(const std::string& ns, const olm::Namespace* before,
                        const olm::Namespace* after);
  void SetTargeting(const std::string& ns, const std::string& install_namespace, bool targets);
  void SetGlobal(const std::string& install_namespace, bool global);
  // The namespaces that `group` targets by list or selector.
  std::vector<std::string> ExplicitTargets(const olm::OperatorGroup& group) const;

  OperatorWorld& world_;
};

}  // namespace steward::storage

#endif  // STORAGE_OPERATORS_OPERATOR_EDITOR_H_
