#include "storage/plans/plan_world.h"

namespace steward::storage {
namespace {

using olm::DefinitionFacts;
using olm::PlanFacts;
using olm::PlanGroup;

template <typename T>
const T& As(const ObjectPtr& object) {
  return *static_cast<const T*>(object.get());
}

kube::NamespacedName PlanKey(const ObjectPtr& object) { return As<PlanFacts>(object).key; }
kube::NamespacedName DefinitionKey(const ObjectPtr& object) {
  return {"", As<DefinitionFacts>(object).name};
}
kube::NamespacedName GroupKey(const ObjectPtr& object) { return As<PlanGroup>(object).key; }
size_t PlanSize(const ObjectPtr& object) { return olm::SizeOf(As<PlanFacts>(object)); }
size_t DefinitionSize(const ObjectPtr& object) { return olm::SizeOf(As<DefinitionFacts>(object)); }
size_t GroupSize(const ObjectPtr& object) { return olm::SizeOf(As<PlanGroup>(object)); }

template <typename T, typename Key>
std::optional<ObjectPtr> PutIn(OrderedMap<Key, std::shared_ptr<const T>>& map, const Key& key,
                               ObjectPtr object) {
  auto next = std::static_pointer_cast<const T>(std::move(object));
  const std::shared_ptr<const T>* found = map.Find(key);
  if (found != nullptr && **found == *next) return std::nullopt;
  ObjectPtr before = found == nullptr ? nullptr : *found;
  map.Set(key, std::move(next));
  return before;
}

template <typename T, typename Key>
std::optional<ObjectPtr> DropFrom(OrderedMap<Key, std::shared_ptr<const T>>& map, const Key& key) {
  const std::shared_ptr<const T>* found = map.Find(key);
  if (found == nullptr) return std::nullopt;
  ObjectPtr before = *found;
  map.Erase(key);
  return before;
}

}  // namespace

constinit const SourceSet kPlanSources = {
    3,
    {{{"installplans", &PlanKey, &PlanSize, 1},
      {"customresourcedefinitions", &DefinitionKey, &DefinitionSize, 1},
      {"operatorgroups-of-plans", &GroupKey, &GroupSize, 1}}},
    []() -> std::shared_ptr<World> { return std::make_shared<PlanWorld>(); }};

size_t PlanWorld::CountOf(Source source) const {
  if (source == kInstallPlanSource) return plans_.size();
  return source == kDefinitionSource ? definitions_.size() : groups_.size();
}

std::vector<kube::NamespacedName> PlanWorld::KeysOf(Source source) const {
  std::vector<kube::NamespacedName> keys;
  keys.reserve(CountOf(source));
  if (source == kInstallPlanSource) {
    for (auto it = plans_.begin(); !it.done(); it.Next()) keys.push_back(it.key());
  } else if (source == kDefinitionSource) {
    for (auto it = definitions_.begin(); !it.done(); it.Next()) keys.push_back({"", it.key()});
  } else {
    for (auto it = groups_.begin(); !it.done(); it.Next()) keys.push_back(it.key());
  }
  return keys;
}

std::shared_ptr<World> PlanWorld::Copy() const { return std::make_shared<PlanWorld>(*this); }

std::optional<ObjectPtr> PlanWorld::Put(Source source, ObjectPtr object) {
  if (source == kDefinitionSource) {
    const std::string name = DefinitionKey(object).name;
    return PutIn(definitions_, name, std::move(object));
  }
  if (source == kInstallPlanSource) {
    const kube::NamespacedName key = PlanKey(object);
    return PutIn(plans_, key, std::move(object));
  }
  const kube::NamespacedName key = GroupKey(object);
  return PutIn(groups_, key, std::move(object));
}

std::optional<ObjectPtr> PlanWorld::Drop(Source source, const kube::NamespacedName& key) {
  if (source == kDefinitionSource) return DropFrom(definitions_, key.name);
  return source == kInstallPlanSource ? DropFrom(plans_, key) : DropFrom(groups_, key);
}

}  // namespace steward::storage
