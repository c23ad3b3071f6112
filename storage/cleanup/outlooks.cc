#include "storage/cleanup/outlooks.h"

#include <string_view>
#include <utility>

namespace steward::storage {
namespace {

// Returns the pointer from `before` if its value equals `value`, so that comparing pointers is
// enough.
template <typename T, typename Key>
std::shared_ptr<const T> Share(T value, const std::map<Key, std::shared_ptr<const T>>* before,
                               const Key& key) {
  if (before != nullptr) {
    const auto found = before->find(key);
    if (found != before->end() && *found->second == value) return found->second;
  }
  return std::make_shared<const T>(std::move(value));
}

std::vector<olm::OperatorGroupPtr> GroupsIn(const OperatorWorld& world, const std::string& ns) {
  std::vector<olm::OperatorGroupPtr> groups;
  for (auto it = world.operator_groups().LowerBound({ns, ""}); !it.done() && it.key().ns == ns;
       it.Next()) {
    groups.push_back(it.value());
  }
  return groups;
}

}  // namespace

bool CleanupOutlooks::SameObjects(const OperatorWorld& a, const OperatorWorld& b) {
  return a.csvs().SharesWith(b.csvs()) && a.operator_groups().SharesWith(b.operator_groups()) &&
         a.namespaces().SharesWith(b.namespaces());
}

std::shared_ptr<const CleanupOutlooks::Relations> CleanupOutlooks::RelationsOf(
    const OperatorWorld& world, const Relations* before) {
  // The lists are sorted, as the keys come in order.
  std::map<std::string, olm::CrdUsers, std::less<>> users;
  std::map<kube::NamespacedName, std::vector<kube::NamespacedName>> replacers;
  for (auto it = world.csvs().begin(); !it.done(); it.Next()) {
    const olm::CsvCleanup* cleanup = it.value()->cleanup.get();
    if (cleanup == nullptr) continue;
    const olm::CsvFacts& facts = cleanup->facts;
    for (const std::string& crd : facts.owned_crds) users[crd].owners.push_back(it.key());
    for (const std::string& crd : facts.required_crds) users[crd].requirers.push_back(it.key());
    if (!facts.replaces.empty() && facts.replaces != it.key().name) {
      replacers[{it.key().ns, facts.replaces}].push_back(it.key());
    }
  }
  auto relations = std::make_shared<Relations>();
  for (auto& [crd, of] : users) {
    std::shared_ptr<const olm::CrdUsers> shared;
    if (before != nullptr) {
      const auto found = before->users.find(crd);
      if (found != before->users.end() && *found->second == of) shared = found->second;
    }
    if (shared == nullptr) shared = std::make_shared<const olm::CrdUsers>(std::move(of));
    relations->users.emplace_hint(relations->users.end(), crd, std::move(shared));
  }
  for (auto& [key, of] : replacers) {
    relations->replacers.emplace_hint(
        relations->replacers.end(), key,
        Share(std::move(of), before == nullptr ? nullptr : &before->replacers, key));
  }
  return relations;
}

CleanupOutlooks::Selected CleanupOutlooks::SelectedIn(const OperatorWorld& world,
                                                      const Basis* before) {
  std::map<std::string_view, std::vector<std::string>> names;
  for (const std::string& install : world.selecting_installs()) names[install];
  // The explicit targets of a group with a selector are the selected namespaces, so labels need not
  // be matched again.
  if (!names.empty()) {
    for (auto it = world.explicit_targets().begin(); !it.done(); it.Next()) {
      for (const std::string& install : *it.value()) {
        const auto selecting = names.find(install);
        if (selecting != names.end()) selecting->second.push_back(it.key());
      }
    }
  }
  Selected selected;
  for (auto& [install, targets] : names) {
    std::string key(install);
    auto shared = Share(std::move(targets), before == nullptr ? nullptr : &before->selected, key);
    selected.emplace(std::move(key), std::move(shared));
  }
  return selected;
}

olm::OutlookInputs CleanupOutlooks::InputsFor(const OperatorWorld& world, const olm::CsvPtr& csv,
                                              const Relations& relations,
                                              const Selected& selected) {
  olm::OutlookInputs inputs;
  inputs.csv = csv;
  if (const olm::NamespacePtr* ns = world.namespaces().Find(csv->key.ns)) {
    inputs.install_namespace = *ns;
  }
  inputs.groups = GroupsIn(world, csv->key.ns);
  const auto matched = selected.find(csv->key.ns);
  if (matched != selected.end()) inputs.selected = matched->second;
  for (const std::string& crd : csv->cleanup->facts.owned_crds) {
    inputs.users.push_back(relations.users.at(crd));
  }
  const auto replacers = relations.replacers.find(csv->key);
  if (replacers != relations.replacers.end()) inputs.replacers = replacers->second;
  return inputs;
}

std::shared_ptr<const CleanupOutlooks::Basis> CleanupOutlooks::Compute(
    const OperatorWorldPtr& world, const Basis* before) {
  auto basis = std::make_shared<Basis>();
  basis->world = world;
  const bool same_csvs = before != nullptr && before->world->csvs().SharesWith(world->csvs());
  const bool same_targets = before != nullptr &&
                            before->world->namespaces().SharesWith(world->namespaces()) &&
                            before->world->operator_groups().SharesWith(world->operator_groups());
  basis->relations =
      same_csvs ? before->relations
                : RelationsOf(*world, before == nullptr ? nullptr : before->relations.get());
  basis->selected = same_targets ? before->selected : SelectedIn(*world, before);

  auto outlooks = std::make_shared<OutlookMap>();
  bool same = before != nullptr;
  for (auto it = world->csvs().begin(); !it.done(); it.Next()) {
    const olm::CsvPtr& csv = it.value();
    if (csv->copied || csv->cleanup == nullptr) continue;
    olm::OutlookInputs inputs = InputsFor(*world, csv, *basis->relations, basis->selected);
    std::shared_ptr<const olm::CleanupOutlook> outlook;
    const Known* last = nullptr;
    if (before != nullptr) {
      const auto found = before->known.find(it.key());
      if (found != before->known.end()) last = &found->second;
    }
    if (last != nullptr && last->inputs == inputs) {
      outlook = last->outlook;
    } else {
      olm::CleanupOutlook computed = olm::OutlookOf(inputs);
      outlook = last != nullptr && *last->outlook == computed
                    ? last->outlook
                    : std::make_shared<const olm::CleanupOutlook>(std::move(computed));
    }
    same = same && last != nullptr && last->outlook == outlook;
    outlooks->emplace_hint(outlooks->end(), it.key(), outlook);
    basis->known.emplace_hint(basis->known.end(), it.key(),
                              Known{std::move(inputs), std::move(outlook)});
  }
  if (same && outlooks->size() == before->map->size()) {
    basis->map = before->map;
  } else {
    basis->map = std::move(outlooks);
  }
  return basis;
}

}  // namespace steward::storage
