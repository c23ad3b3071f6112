#include "controllers/copies/seen_copies.h"

#include <algorithm>
#include <optional>

#include "absl/hash/hash.h"

namespace steward::controllers {

using storage::OperatorWorld;

uint32_t TagOfSource(std::string_view source) {
  return static_cast<uint32_t>(absl::HashOf(source));
}

std::vector<olm::Original> OriginalsIn(const OperatorWorld& world, const std::string& name,
                                       const std::set<std::string>& installs) {
  std::vector<olm::Original> found;
  for (const std::string& install : installs) {
    const olm::CsvPtr* csv = world.csvs().Find({install, name});
    if (csv == nullptr || (*csv)->copied) continue;
    const storage::EffectiveGroup* group = world.GroupIn(install);
    found.push_back({csv->get(), group == nullptr ? nullptr : group->group.get()});
  }
  return found;
}

olm::SeenSlot SeeSlot(const OperatorWorld& world, const CompactIndex& copies,
                      const kube::NamespacedName& key,
                      const std::vector<olm::Original>& originals) {
  olm::SeenSlot seen;
  seen.taken = world.csvs().Find(key) != nullptr;
  const std::optional<uint32_t> tag = copies.TagOf(key);
  seen.has_copy = tag.has_value();
  const auto it = std::find_if(
      originals.begin(), originals.end(),
      [&tag](const olm::Original& original) { return tag == TagOfSource(original.csv->key.ns); });
  if (it != originals.end()) seen.copied = &*it;
  return seen;
}

void CompareSlots(
    const OperatorWorld& world, const CompactIndex& copies, const std::string& name,
    const std::vector<olm::Original>& originals, const olm::CopyPolicy& policy,
    const std::function<void(const olm::Namespace& ns, const olm::ComparedSlot& slot)>& visit) {
  for (auto it = world.namespaces().begin(); !it.done(); it.Next()) {
    const olm::Namespace& ns = *it.value();
    const olm::SeenSlot seen = SeeSlot(world, copies, {ns.name, name}, originals);
    visit(ns, olm::CompareSlot(ns, originals, seen, policy));
  }
}

}  // namespace steward::controllers
