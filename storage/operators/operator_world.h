// The World of the operators: ClusterServiceVersions, OperatorGroups and Namespaces. Immutable once
// published, so thread-safe.
#ifndef STORAGE_OPERATORS_OPERATOR_WORLD_H_
#define STORAGE_OPERATORS_OPERATOR_WORLD_H_

#include <cassert>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kube/meta/names.h"
#include "olm/objects.h"
#include "olm/targets.h"
#include "storage/world/ordered_map.h"
#include "storage/world/source_set.h"
#include "storage/world/world.h"

namespace steward::storage {

// The source set of InstalledOperators and CleanupStatuses. Its order is that of the components in
// their numbers, which clients hold, so it never changes.
extern const SourceSet kOperatorSources;
inline constexpr Source kCsvSource{0};
inline constexpr Source kOperatorGroupSource{1};
inline constexpr Source kNamespaceSource{2};

// The OperatorGroup in force in a namespace, which must be the only OperatorGroup there.
struct EffectiveGroup {
  olm::OperatorGroupPtr group;
  olm::TargetSummary targets;

  bool operator==(const EffectiveGroup&) const = default;
};

class OperatorWorld;
using OperatorWorldPtr = std::shared_ptr<const OperatorWorld>;

// Memory is O(operators + namespaces + explicit targets); unchanged parts are shared with the World
// before.
class OperatorWorld final : public World {
 public:
  OperatorWorld() : World(kOperatorSources) {}
  OperatorWorld(const OperatorWorld&) = default;

  // Casts `world`. REQUIRES: it is of kOperatorSources.
  static const OperatorWorld& Of(const World& world) {
    assert(&world.set() == &kOperatorSources);
    return static_cast<const OperatorWorld&>(world);
  }
  static OperatorWorldPtr Of(WorldPtr world) {
    assert(&world->set() == &kOperatorSources);
    return std::static_pointer_cast<const OperatorWorld>(std::move(world));
  }

  const OrderedMap<kube::NamespacedName, olm::CsvPtr>& csvs() const { return csvs_; }
  const OrderedMap<kube::NamespacedName, olm::OperatorGroupPtr>& operator_groups() const {
    return groups_;
  }
  const OrderedMap<std::string, olm::NamespacePtr>& namespaces() const { return namespaces_; }

  // The group in force in `install_namespace`; null if there is none, or there are several.
  const EffectiveGroup* GroupIn(const std::string& install_namespace) const {
    return effective_.Find(install_namespace);
  }
  // The install namespaces whose group targets every namespace, sorted.
  const std::vector<std::string>& global_installs() const { return *global_; }
  // The install namespaces whose group targets `ns` by list or selector, sorted.
  const std::vector<std::string>& InstallsTargeting(const std::string& ns) const;

  // The non-empty results of InstallsTargeting, by namespace name. The Namespace need not exist.
  const OrderedMap<std::string, std::shared_ptr<const std::vector<std::string>>>& explicit_targets()
      const {
    return targeting_;
  }
  // The install namespaces whose group in force selects its targets by label, sorted.
  const std::vector<std::string>& selecting_installs() const { return *selecting_; }

  size_t CountOf(Source source) const override;
  std::vector<kube::NamespacedName> KeysOf(Source source) const override;
  std::shared_ptr<World> Copy() const override;
  std::optional<ObjectPtr> Put(Source source, ObjectPtr object) override;
  std::optional<ObjectPtr> Drop(Source source, const kube::NamespacedName& key) override;

 private:
  friend class OperatorEditor;

  OrderedMap<kube::NamespacedName, olm::CsvPtr> csvs_;
  OrderedMap<kube::NamespacedName, olm::OperatorGroupPtr> groups_;
  OrderedMap<std::string, olm::NamespacePtr> namespaces_;
  OrderedMap<std::string, EffectiveGroup> effective_;  // by install namespace
  OrderedMap<std::string, std::shared_ptr<const std::vector<std::string>>> targeting_;  // by target
  std::shared_ptr<const std::vector<std::string>> global_ =
      std::make_shared<const std::vector<std::string>>();
  std::shared_ptr<const std::vector<std::string>> selecting_ =
      std::make_shared<const std::vector<std::string>>();
};

}  // namespace steward::storage

#endif  // STORAGE_OPERATORS_OPERATOR_WORLD_H_
