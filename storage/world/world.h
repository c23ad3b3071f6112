// The World: everything the virtual resources are a function of, at one moment.
#ifndef STORAGE_WORLD_WORLD_H_
#define STORAGE_WORLD_WORLD_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kube/meta/names.h"
#include "olm/objects.h"
#include "olm/targets.h"
#include "storage/world/history.h"
#include "storage/world/ordered_map.h"

namespace steward::storage {

enum class Source { kCsv = 0, kOperatorGroup = 1, kNamespace = 2 };
inline constexpr size_t kSources = 3;

// One revision for each source, in the order of Source: a state of all of them. 0 = too far back to
// be known.
using StateVector = std::array<uint64_t, kSources>;

// What is known of one watched kind.
struct SourceState {
  // A complete list, or the certainty that the kind does not exist, has been seen.
  bool synced = false;
  bool absent = false;  // the kind does not exist in the cluster
  bool connected = false;
  uint64_t rev = 0;  // revision of the last change that the rules can see
  // The revision by which numbers name the present state: `rev`, or a later one that every replica
  // can be expected to have reached.
  uint64_t component = 0;
  History history;

  // Newest revision up to which the stream is known to be complete.
  uint64_t seen() const { return history.seen(); }
};

// The OperatorGroup in force in a namespace: there only when it is the namespace's only one.
struct EffectiveGroup {
  olm::OperatorGroupPtr group;
  olm::TargetSummary targets;

  bool operator==(const EffectiveGroup&) const = default;
};

// Immutable once published: read it from any thread without locks. Memory is O(operators +
// namespaces + explicit targets); the parts that did not change are shared with the World before.
class World {
 public:
  const OrderedMap<kube::NamespacedName, olm::CsvPtr>& csvs() const { return csvs_; }
  const OrderedMap<kube::NamespacedName, olm::OperatorGroupPtr>& operator_groups() const {
    return groups_;
  }
  const OrderedMap<std::string, olm::NamespacePtr>& namespaces() const { return namespaces_; }

  // The group in force in `install_namespace`, or null: there is none, or there are several.
  const EffectiveGroup* GroupIn(const std::string& install_namespace) const {
    return effective_.Find(install_namespace);
  }
  // Install namespaces whose group targets every namespace, sorted.
  const std::vector<std::string>& global_installs() const { return *global_; }
  // Install namespaces whose group targets `ns` by list or selector, sorted.
  const std::vector<std::string>& InstallsTargeting(const std::string& ns) const;

  // Of every name for which InstallsTargeting has anything: that. The namespace need not exist.
  const OrderedMap<std::string, std::shared_ptr<const std::vector<std::string>>>& explicit_targets()
      const {
    return targeting_;
  }

  const SourceState& source(Source s) const { return sources_[static_cast<size_t>(s)]; }
  bool synced() const;
  // Every stream is connected; false means that answers may be older than the stream's usual lag.
  bool connected() const;

  // Install namespaces whose group in force selects its targets by label, sorted.
  const std::vector<std::string>& selecting_installs() const { return *selecting_; }

  // The state that this World is, as numbers name it.
  StateVector Vector() const;
  // Whether the state at `vector` can be had from this World: kForgotten if any source has
  // forgotten it, else kNotYet if any has not reached it.
  Knowledge Knows(const StateVector& vector) const;
  // Whether no source is behind `vector`: this World is not older.
  bool HasReached(const StateVector& vector) const;
  // Counts the changes, since the start, that the rules could see.
  uint64_t changes() const { return changes_; }
  // Counts how often the revisions turned out to be another etcd's: numbers of before mean nothing.
  uint64_t epoch() const { return epoch_; }

 private:
  friend class WorldEditor;
  friend class WorldWriter;

  OrderedMap<kube::NamespacedName, olm::CsvPtr> csvs_;
  OrderedMap<kube::NamespacedName, olm::OperatorGroupPtr> groups_;
  OrderedMap<std::string, olm::NamespacePtr> namespaces_;
  OrderedMap<std::string, EffectiveGroup> effective_;  // by install namespace
  OrderedMap<std::string, std::shared_ptr<const std::vector<std::string>>> targeting_;  // by target
  std::shared_ptr<const std::vector<std::string>> global_ =
      std::make_shared<const std::vector<std::string>>();
  std::shared_ptr<const std::vector<std::string>> selecting_ =
      std::make_shared<const std::vector<std::string>>();
  std::array<SourceState, kSources> sources_;
  uint64_t changes_ = 0;
  uint64_t epoch_ = 0;
};

using WorldPtr = std::shared_ptr<const World>;

}  // namespace steward::storage

#endif  // STORAGE_WORLD_WORLD_H_
