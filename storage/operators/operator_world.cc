#include "storage/operators/operator_world.h"

#include "olm/csv_facts.h"
#include "storage/operators/operator_editor.h"

namespace steward::storage {
namespace {

template <typename T>
const T& As(const ObjectPtr& object) {
  return *static_cast<const T*>(object.get());
}

template <typename T>
std::shared_ptr<const T> Take(ObjectPtr object) {
  return std::static_pointer_cast<const T>(std::move(object));
}

kube::NamespacedName CsvKey(const ObjectPtr& object) { return As<olm::Csv>(object).key; }
kube::NamespacedName GroupKey(const ObjectPtr& object) {
  return As<olm::OperatorGroup>(object).key;
}
kube::NamespacedName NamespaceKey(const ObjectPtr& object) {
  return {"", As<olm::Namespace>(object).name};
}

size_t CsvSize(const ObjectPtr& object) {
  const olm::Csv& csv = As<olm::Csv>(object);
  return csv.spec_json.size() + csv.status_json.size() + csv.annotations_json.size() +
         csv.labels_json.size() + csv.own_labels_json.size() + csv.message_json.size() +
         sizeof(olm::Csv) + (csv.cleanup == nullptr ? 0 : olm::SizeOf(*csv.cleanup));
}
size_t GroupSize(const ObjectPtr& object) {
  const olm::OperatorGroup& group = As<olm::OperatorGroup>(object);
  const size_t synced = group.synced.has_value() ? group.synced->size() : 0;
  return sizeof(olm::OperatorGroup) + (group.target_namespaces.size() + synced) * 64;
}
size_t NamespaceSize(const ObjectPtr& object) {
  return sizeof(olm::Namespace) + As<olm::Namespace>(object).labels.size() * 128;
}

// Undoing the change of a ClusterServiceVersion is one step; that of another object also changes
// the targets.
constexpr size_t kStepsOfIndexed = 50;

template <typename Map>
std::vector<kube::NamespacedName> KeysIn(const Map& map) {
  std::vector<kube::NamespacedName> keys;
  keys.reserve(map.size());
  for (auto it = map.begin(); !it.done(); it.Next()) keys.push_back(it.key());
  return keys;
}

}  // namespace

constinit const SourceSet kOperatorSources = {
    3,
    {{{"clusterserviceversions", &CsvKey, &CsvSize, 1},
      {"operatorgroups", &GroupKey, &GroupSize, kStepsOfIndexed},
      {"namespaces", &NamespaceKey, &NamespaceSize, kStepsOfIndexed}}},
    []() -> std::shared_ptr<World> { return std::make_shared<OperatorWorld>(); }};

const std::vector<std::string>& OperatorWorld::InstallsTargeting(const std::string& ns) const {
  static const std::vector<std::string>& none = *new std::vector<std::string>;
  const auto* installs = targeting_.Find(ns);
  return installs == nullptr ? none : **installs;
}

size_t OperatorWorld::CountOf(Source source) const {
  if (source == kCsvSource) return csvs_.size();
  return source == kOperatorGroupSource ? groups_.size() : namespaces_.size();
}

std::vector<kube::NamespacedName> OperatorWorld::KeysOf(Source source) const {
  if (source == kCsvSource) return KeysIn(csvs_);
  if (source == kOperatorGroupSource) return KeysIn(groups_);
  std::vector<kube::NamespacedName> keys;
  keys.reserve(namespaces_.size());
  for (auto it = namespaces_.begin(); !it.done(); it.Next()) keys.push_back({"", it.key()});
  return keys;
}

std::shared_ptr<World> OperatorWorld::Copy() const {
  return std::make_shared<OperatorWorld>(*this);
}

std::optional<ObjectPtr> OperatorWorld::Put(Source source, ObjectPtr object) {
  OperatorEditor editor(*this);
  if (source == kCsvSource) return editor.Put(Take<olm::Csv>(std::move(object)));
  if (source == kOperatorGroupSource) {
    return editor.Put(Take<olm::OperatorGroup>(std::move(object)));
  }
  return editor.Put(Take<olm::Namespace>(std::move(object)));
}

std::optional<ObjectPtr> OperatorWorld::Drop(Source source, const kube::NamespacedName& key) {
  OperatorEditor editor(*this);
  if (source == kCsvSource) return editor.DropCsv(key);
  if (source == kOperatorGroupSource) return editor.DropGroup(key);
  return editor.DropNamespace(key.name);
}

}  // namespace steward::storage
