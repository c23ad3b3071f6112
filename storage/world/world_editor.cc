#include "storage/world/world_editor.h"

#include <algorithm>
#include <utility>

namespace steward::storage {
namespace {

// A sorted vector with `name` in it or not; shares the old one when nothing changes.
std::shared_ptr<const std::vector<std::string>> With(
    const std::shared_ptr<const std::vector<std::string>>& old, const std::string& name,
    bool member) {
  const std::vector<std::string> empty;
  const std::vector<std::string>& before = old ? *old : empty;
  const auto at = std::lower_bound(before.begin(), before.end(), name);
  const bool is_member = at != before.end() && *at == name;
  if (is_member == member && old) return old;
  auto next = std::make_shared<std::vector<std::string>>();
  next->reserve(before.size() + 1);
  next->insert(next->end(), before.begin(), at);
  if (member) next->push_back(name);
  next->insert(next->end(), is_member ? at + 1 : at, before.end());
  return next;
}

// A proven copy shows nowhere and stands in nobody's way: it counts as a change only where it takes
// the place of another.
bool Shows(const olm::Csv& csv) { return !csv.copied || csv.cleanup != nullptr; }

}  // namespace

void WorldEditor::Restore(const kube::NamespacedName& key, const SourceObject& object) {
  const auto set = [&](const auto& pointer, Source source) {
    if (pointer == nullptr) {
      Drop(source, key);
    } else {
      Change(pointer);
    }
  };
  switch (static_cast<Source>(object.index())) {
    case Source::kCsv:
      return set(std::get<olm::CsvPtr>(object), Source::kCsv);
    case Source::kOperatorGroup:
      return set(std::get<olm::OperatorGroupPtr>(object), Source::kOperatorGroup);
    case Source::kNamespace:
      return set(std::get<olm::NamespacePtr>(object), Source::kNamespace);
  }
}

bool WorldEditor::Change(olm::CsvPtr csv) {
  const olm::CsvPtr* old = world_.csvs_.Find(csv->key);
  if (old != nullptr && **old == *csv) return false;
  const kube::NamespacedName key = csv->key;
  const bool visible = Shows(*csv) || (old != nullptr && Shows(**old));
  world_.csvs_.Set(key, std::move(csv));
  return visible;
}

bool WorldEditor::Change(olm::OperatorGroupPtr group) {
  const olm::OperatorGroupPtr* old = world_.groups_.Find(group->key);
  if (old != nullptr && **old == *group) return false;
  const kube::NamespacedName key = group->key;
  world_.groups_.Set(key, std::move(group));
  RefreshGroup(key.ns);
  return true;
}

bool WorldEditor::Change(olm::NamespacePtr ns) {
  const olm::NamespacePtr* found = world_.namespaces_.Find(ns->name);
  const olm::NamespacePtr old = found == nullptr ? nullptr : *found;
  if (old != nullptr && *old == *ns) return false;
  world_.namespaces_.Set(ns->name, ns);
  RefreshSelectors(ns->name, old.get(), ns.get());
  return true;
}

bool WorldEditor::Drop(Source source, const kube::NamespacedName& key) {
  switch (source) {
    case Source::kCsv: {
      const olm::CsvPtr* old = world_.csvs_.Find(key);
      if (old == nullptr) return false;
      const bool visible = Shows(**old);
      world_.csvs_.Erase(key);
      return visible;
    }
    case Source::kOperatorGroup:
      if (!world_.groups_.Erase(key)) return false;
      RefreshGroup(key.ns);
      return true;
    case Source::kNamespace: {
      const olm::NamespacePtr* found = world_.namespaces_.Find(key.name);
      if (found == nullptr) return false;
      const olm::NamespacePtr old = *found;
      world_.namespaces_.Erase(key.name);
      RefreshSelectors(key.name, old.get(), nullptr);
      return true;
    }
  }
  return false;
}

std::vector<std::string> WorldEditor::ExplicitTargets(const olm::OperatorGroup& group) const {
  std::vector<std::string> names;
  switch (olm::KindOfTargets(group)) {
    case olm::TargetKind::kList:
      names = group.target_namespaces;
      std::sort(names.begin(), names.end());
      names.erase(std::unique(names.begin(), names.end()), names.end());
      break;
    case olm::TargetKind::kSelector:
      for (auto it = world_.namespaces_.begin(); !it.done(); it.Next()) {
        if (group.selector->Matches(it.value()->labels)) names.push_back(it.key());
      }
      break;
    case olm::TargetKind::kNone:
    case olm::TargetKind::kAll:
      break;
  }
  return names;
}

void WorldEditor::RefreshGroup(const std::string& install_namespace) {
  olm::OperatorGroupPtr only;
  auto it = world_.groups_.LowerBound({install_namespace, ""});
  if (!it.done() && it.key().ns == install_namespace) {
    only = it.value();
    it.Next();
    if (!it.done() && it.key().ns == install_namespace)
      only = nullptr;  // several: none is in force
  }
  const EffectiveGroup* found = world_.effective_.Find(install_namespace);
  const olm::OperatorGroupPtr before = found == nullptr ? nullptr : found->group;
  if (before == only) return;
  if (before != nullptr && only != nullptr && before->SameSpec(*only)) {
    world_.effective_.Set(install_namespace, EffectiveGroup{only, found->targets});
    return;
  }

  if (before) {
    for (const std::string& ns : ExplicitTargets(*before))
      SetTargeting(ns, install_namespace, false);
  }
  world_.selecting_ = With(world_.selecting_, install_namespace, false);
  if (!only) {
    world_.effective_.Erase(install_namespace);
    SetGlobal(install_namespace, false);
    return;
  }
  EffectiveGroup next{only, {}};
  const std::vector<std::string> targets = ExplicitTargets(*only);
  next.targets.all = olm::KindOfTargets(*only) == olm::TargetKind::kAll;
  next.targets.count = targets.size();
  next.targets.includes_own =
      next.targets.all || std::binary_search(targets.begin(), targets.end(), install_namespace);
  for (const std::string& ns : targets) SetTargeting(ns, install_namespace, true);
  SetGlobal(install_namespace, next.targets.all);
  if (olm::KindOfTargets(*only) == olm::TargetKind::kSelector) {
    world_.selecting_ = With(world_.selecting_, install_namespace, true);
  }
  world_.effective_.Set(install_namespace, std::move(next));
}

void WorldEditor::RefreshSelectors(const std::string& ns, const olm::Namespace* before,
                                   const olm::Namespace* after) {
  for (const std::string& install_namespace : *world_.selecting_) {
    EffectiveGroup next = *world_.effective_.Find(install_namespace);
    const kube::LabelSelector& selector = *next.group->selector;
    const bool was = before != nullptr && selector.Matches(before->labels);
    const bool is = after != nullptr && selector.Matches(after->labels);
    if (was == is) continue;
    SetTargeting(ns, install_namespace, is);
    next.targets.count += is ? 1 : -1;
    if (ns == install_namespace) next.targets.includes_own = is;
    world_.effective_.Set(install_namespace, std::move(next));
  }
}

void WorldEditor::SetTargeting(const std::string& ns, const std::string& install_namespace,
                               bool targets) {
  const auto* found = world_.targeting_.Find(ns);
  auto next = With(found == nullptr ? nullptr : *found, install_namespace, targets);
  if (next->empty()) {
    world_.targeting_.Erase(ns);
  } else {
    world_.targeting_.Set(ns, std::move(next));
  }
}

void WorldEditor::SetGlobal(const std::string& install_namespace, bool global) {
  world_.global_ = With(world_.global_, install_namespace, global);
}

}  // namespace steward::storage
