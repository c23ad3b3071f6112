// An index of the objects that matter to Operators, by their watched metadata. Lives on one
// executor.
#ifndef CONTROLLERS_OPERATOR_COMPONENT_INDEX_H_
#define CONTROLLERS_OPERATOR_COMPONENT_INDEX_H_

#include <compare>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/attributes.h"
#include "controllers/operator/component_kinds.h"
#include "kube/meta/names.h"
#include "olm/operator/component.h"
#include "storage/reflector/sink.h"

namespace steward::controllers {

// An object. `kind` is the index in WatchedKinds.
struct ComponentId {
  size_t kind;
  kube::NamespacedName name;
  auto operator<=>(const ComponentId&) const = default;
};

// Tells when to look, but lags behind the cluster, so nothing is deleted because of this index
// alone. Memory is O(components), plus all objects of the kinds with WatchedKind::hold_all.
class ComponentIndex {
 public:
  // Called after the change; `before` or `after` is null if the object was not held before, or is
  // not held now.
  using OnChange = std::function<void(const ComponentId& id, const olm::Component* before,
                                      const olm::Component* after)>;
  // Called when a complete list of a kind has been applied.
  using OnListed = std::function<void()>;

  ComponentIndex(std::vector<WatchedKind> kinds, OnChange changed, OnListed listed);
  ~ComponentIndex();

  const std::vector<WatchedKind>& kinds() const { return kinds_; }
  // The sink of a kind's reflector.
  storage::ReflectorSink& SinkOf(size_t kind) ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // True once the kind has been listed, or is known to be absent.
  bool listed(size_t kind) const;

  struct Object {
    olm::Component component;
    olm::Subscription subscription;  // of a Subscription
  };
  // Adds, replaces or (nullopt) removes an object.
  void Put(const ComponentId& id, std::optional<Object> object);

  // The pointers and references are valid until other code runs on the executor. Null: not held.
  const olm::Component* Find(const ComponentId& id) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // The components of an Operator, without copies.
  const std::set<ComponentId>& ComponentsOf(const std::string& operator_name) const
      ABSL_ATTRIBUTE_LIFETIME_BOUND;
  // The objects that name this ClusterServiceVersion as their owner, whatever its UID.
  const std::set<ComponentId>& OwnedBy(const kube::NamespacedName& csv) const
      ABSL_ATTRIBUTE_LIFETIME_BOUND;
  std::vector<kube::NamespacedName> NamesOf(size_t kind) const;
  // Returns the names of one namespace.
  std::vector<kube::NamespacedName> NamesOf(size_t kind, const std::string& ns) const;
  // The names of all Operators that have components.
  std::vector<std::string> OperatorNames() const;

  using Subscriptions = std::map<kube::NamespacedName, olm::Subscription>;
  const Subscriptions& subscriptions() const { return subscriptions_; }
  // True if a Subscription installs this ClusterServiceVersion.
  bool IsInstalled(const kube::NamespacedName& csv) const;
  // The uncut names that become this Operator's name: those of Subscriptions, and of
  // ClusterServiceVersions that no Subscription installs. Several differ only until they are cut
  // (R-004-13).
  std::set<std::string> UncutNamesOf(const std::string& operator_name) const;

  // The conditions of the object at its present version, as JSON; null: not read since the object
  // changed.
  const std::string* ConditionsOf(const ComponentId& id) const ABSL_ATTRIBUTE_LIFETIME_BOUND;
  void KeepConditions(const ComponentId& id, std::string version, std::string conditions);

 private:
  class Sink;
  struct Entry {
    olm::Component component;
    std::string conditions_version;  // "" = none were read
    std::string conditions;
  };
  using Entries = std::map<kube::NamespacedName, Entry>;

  bool Holds(size_t kind, const olm::Component& component) const;
  void Link(const ComponentId& id, const olm::Component& component, bool on);

  const std::vector<WatchedKind> kinds_;
  const OnChange changed_;
  const OnListed listed_;
  std::vector<std::unique_ptr<Sink>> sinks_;  // of each kind
  std::vector<Entries> entries_;              // of each kind
  std::map<std::string, std::set<ComponentId>, std::less<>> by_operator_;
  std::map<kube::NamespacedName, std::set<ComponentId>> by_owner_;
  Subscriptions subscriptions_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_OPERATOR_COMPONENT_INDEX_H_
