#include "controllers/operator/component_index.h"

#include <boost/json/value.hpp>
#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "kube/client/client.h"
#include "olm/operator/component_label.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

absl::StatusOr<ComponentIndex::Object> Decode(const kube::RawObject& raw, bool subscription) {
  ASSIGN_OR_RETURN(const json::value value, ParseJson(raw.json));
  if (!value.is_object()) return absl::InvalidArgumentError("the object is none");
  ComponentIndex::Object object;
  ASSIGN_OR_RETURN(object.component, olm::ReadComponent(value.get_object()));
  if (subscription) object.subscription = olm::ReadSubscription(value.get_object());
  return object;
}

template <typename K, typename M>
const std::set<ComponentId>& AtOrNone(const M& map, const K& key) {
  static const auto& none = *new std::set<ComponentId>();
  const auto it = map.find(key);
  return it == map.end() ? none : it->second;
}

}  // namespace

// A new list is applied when it is complete; until then the previous state stays.
class ComponentIndex::Sink : public storage::ReflectorSink {
 public:
  Sink(ComponentIndex& index, size_t kind) : index_(index), kind_(kind) {}

  bool listed() const { return listed_; }

  void OnReplaceBegin() override { next_.clear(); }
  void OnReplaceItem(const kube::RawObject& raw) override {
    std::optional<Object> object = Read(raw);
    if (!object || !index_.Holds(kind_, object->component)) return;
    const kube::NamespacedName name = object->component.key;
    next_.insert_or_assign(name, *std::move(object));
  }
  void OnReplaceEnd(uint64_t) override { Replace(std::exchange(next_, {})); }
  void OnAbsent() override { Replace({}); }

  void OnEvent(kube::WatchEvent::Type type, const kube::RawObject& raw, uint64_t) override {
    std::optional<Object> object = Read(raw);
    if (!object) return;
    const ComponentId id = {kind_, object->component.key};
    const bool gone = type == kube::WatchEvent::Type::kDeleted;
    index_.Put(id, gone ? std::nullopt : std::move(object));
  }
  void OnBookmark(uint64_t) override {}
  void OnConnected() override {}
  void OnDisconnected(const absl::Status&) override {}  // the reflector logs it

 private:
  std::optional<Object> Read(const kube::RawObject& raw) const {
    absl::StatusOr<Object> object = Decode(raw, kind_ == kSubscriptionKindAt);
    if (object.ok()) return *std::move(object);
    log::Error("A component of Operators is not understood; it is left out",
               {{"resource", index_.kinds_[kind_].gvr.GroupResource()}, {"err", object.status()}});
    return std::nullopt;
  }

  void Replace(std::map<kube::NamespacedName, Object> next) {
    for (const kube::NamespacedName& name : index_.NamesOf(kind_)) {
      if (!next.contains(name)) index_.Put({kind_, name}, std::nullopt);
    }
    for (auto& [name, object] : next) {
      const olm::Component* before = index_.Find({kind_, name});
      if (before == nullptr || *before != object.component) {
        index_.Put({kind_, name}, std::move(object));
      }
    }
    listed_ = true;
    index_.listed_();
  }

  ComponentIndex& index_;
  const size_t kind_;
  bool listed_ = false;
  std::map<kube::NamespacedName, Object> next_;
};

ComponentIndex::ComponentIndex(std::vector<WatchedKind> kinds, OnChange changed, OnListed listed)
    : kinds_(std::move(kinds)),
      changed_(std::move(changed)),
      listed_(std::move(listed)),
      entries_(kinds_.size()) {
  for (size_t i = 0; i < kinds_.size(); ++i) sinks_.push_back(std::make_unique<Sink>(*this, i));
}

ComponentIndex::~ComponentIndex() = default;

storage::ReflectorSink& ComponentIndex::SinkOf(size_t kind) { return *sinks_[kind]; }

bool ComponentIndex::listed(size_t kind) const { return sinks_[kind]->listed(); }

bool ComponentIndex::Holds(size_t kind, const olm::Component& component) const {
  if (kinds_[kind].hold_all) return true;
  // An object with OLM's mark of a copy is not a component, because OLM sets no component labels on
  // copies.
  if (kind != kCopyKindAt && component.copied) return false;
  return !component.operators.empty() || (kinds_[kind].component && !component.owners.empty());
}

void ComponentIndex::Link(const ComponentId& id, const olm::Component& component, bool on) {
  if (!kinds_[id.kind].component || component.copied) return;
  const auto link = [&id, on](auto& map, const auto& key) {
    if (on) {
      map[key].insert(id);
      return;
    }
    const auto it = map.find(key);
    if (it == map.end()) return;
    it->second.erase(id);
    if (it->second.empty()) map.erase(it);
  };
  for (const std::string& name : component.operators) link(by_operator_, name);
  for (const olm::CsvOwner& owner : component.owners) link(by_owner_, owner.csv);
}

void ComponentIndex::Put(const ComponentId& id, std::optional<Object> object) {
  Entries& entries = entries_[id.kind];
  const auto it = entries.find(id.name);
  std::optional<olm::Component> before;
  if (it != entries.end()) {
    before = it->second.component;
    Link(id, *before, false);
  }
  const bool held = object && Holds(id.kind, object->component);
  if (!held && !before) return;
  if (!held) {
    entries.erase(it);
    if (id.kind == kSubscriptionKindAt) subscriptions_.erase(id.name);
    changed_(id, &*before, nullptr);
    return;
  }
  Entry& entry = entries[id.name];
  if (before && before->uid != object->component.uid) entry.conditions_version = "";
  entry.component = std::move(object->component);
  Link(id, entry.component, true);
  if (id.kind == kSubscriptionKindAt) subscriptions_[id.name] = std::move(object->subscription);
  changed_(id, before ? &*before : nullptr, &entry.component);
}

const olm::Component* ComponentIndex::Find(const ComponentId& id) const {
  const auto it = entries_[id.kind].find(id.name);
  return it == entries_[id.kind].end() ? nullptr : &it->second.component;
}

const std::set<ComponentId>& ComponentIndex::ComponentsOf(const std::string& operator_name) const {
  return AtOrNone(by_operator_, operator_name);
}

const std::set<ComponentId>& ComponentIndex::OwnedBy(const kube::NamespacedName& csv) const {
  return AtOrNone(by_owner_, csv);
}

std::vector<kube::NamespacedName> ComponentIndex::NamesOf(size_t kind) const {
  std::vector<kube::NamespacedName> names;
  for (const auto& [name, entry] : entries_[kind]) names.push_back(name);
  return names;
}

std::vector<kube::NamespacedName> ComponentIndex::NamesOf(size_t kind,
                                                          const std::string& ns) const {
  std::vector<kube::NamespacedName> names;
  for (auto it = entries_[kind].lower_bound({ns, ""});
       it != entries_[kind].end() && it->first.ns == ns; ++it) {
    names.push_back(it->first);
  }
  return names;
}

std::vector<std::string> ComponentIndex::OperatorNames() const {
  std::vector<std::string> names;
  for (const auto& [name, ids] : by_operator_) names.push_back(name);
  return names;
}

bool ComponentIndex::IsInstalled(const kube::NamespacedName& csv) const {
  for (auto it = subscriptions_.lower_bound({csv.ns, ""});
       it != subscriptions_.end() && it->first.ns == csv.ns; ++it) {
    if (it->second.Installs(csv.name)) return true;
  }
  return false;
}

std::set<std::string> ComponentIndex::UncutNamesOf(const std::string& operator_name) const {
  std::set<std::string> names;
  const auto take = [&](const std::string& name, const std::string& ns) {
    std::string uncut = olm::UncutOperatorName(name, ns);
    // Cutting keeps the beginning of a name, so this check avoids cutting most names.
    if (!uncut.starts_with(operator_name)) return;
    const absl::StatusOr<std::string> cut = olm::OperatorName(uncut);
    if (cut.ok() && *cut == operator_name) names.insert(std::move(uncut));
  };
  for (const auto& [key, subscription] : subscriptions_) {
    if (!subscription.package.empty()) take(subscription.package, key.ns);
  }
  for (const auto& [key, entry] : entries_[kCsvKindAt]) {
    const std::set<std::string>& operators = entry.component.operators;
    if (!operators.empty() && !operators.contains(operator_name)) continue;
    if (!IsInstalled(key)) take(key.name, key.ns);
  }
  return names;
}

const std::string* ComponentIndex::ConditionsOf(const ComponentId& id) const {
  const auto it = entries_[id.kind].find(id.name);
  if (it == entries_[id.kind].end()) return nullptr;
  const Entry& entry = it->second;
  const std::string& version = entry.component.resource_version;
  return version.empty() || version != entry.conditions_version ? nullptr : &entry.conditions;
}

void ComponentIndex::KeepConditions(const ComponentId& id, std::string version,
                                    std::string conditions) {
  const auto it = entries_[id.kind].find(id.name);
  if (it == entries_[id.kind].end()) return;
  it->second.conditions_version = std::move(version);
  it->second.conditions = std::move(conditions);
}

}  // namespace steward::controllers
