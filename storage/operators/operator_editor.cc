#include "storage/operators/operator_editor.h"

#include <algorithm>
#include <utility>

namespace steward::storage {
namespace {

// Returns the sorted vector `old` with `name` added (`member`) or removed; `old` itself if nothing
// changes.
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

// False for a proven copy, which appears in no view and affects no other object. Putting or
// dropping one is no visible change, unless it replaces another object or is replaced.
bool Shows(const olm::Csv& csv) { return !csv.copied || csv.cleanup != nullptr; }

// True if `put` was written at another revision than `held`, which it equals otherwise. The new
// revision is kept, so that all replicas know the same revision, whenever they started.
template <typename T>
bool WrittenAgain(const T& held, const T& put) {
  return held.written.revision != put.written.revision;
}

// The value that a search in a map found; null if there is none.
template <typename Ptr>
Ptr ValueOf(const Ptr* found) {
  return found == nullptr ? nullptr : *found;
}

}  // namespace

std::optional<ObjectPtr> OperatorEditor::Put(olm::CsvPtr csv) {
  const olm::CsvPtr* found = world_.csvs_.Find(csv->key);
  if (found != nullptr && **found == *csv) {
    if (!WrittenAgain(**found, *csv)) return std::nullopt;
    // Copies the held object, because its texts may have been compressed already.
    auto again = std::make_shared<olm::Csv>(**found);
    again->written = csv->written;
    world_.csvs_.Set(csv->key, std::move(again));
    return std::nullopt;
  }
  olm::CsvPtr old = ValueOf(found);
  const kube::NamespacedName key = csv->key;
  const bool visible = Shows(*csv) || (old != nullptr && Shows(*old));
  world_.csvs_.Set(key, std::move(csv));
  if (!visible) return std::nullopt;
  return ObjectPtr(std::move(old));
}

std::optional<ObjectPtr> OperatorEditor::Put(olm::OperatorGroupPtr group) {
  const olm::OperatorGroupPtr* found = world_.groups_.Find(group->key);
  if (found != nullptr && **found == *group) {
    if (!WrittenAgain(**found, *group)) return std::nullopt;
    const kube::NamespacedName key = group->key;
    world_.groups_.Set(key, std::move(group));
    RefreshGroup(key.ns);
    return std::nullopt;
  }
  olm::OperatorGroupPtr old = ValueOf(found);
  const kube::NamespacedName key = group->key;
  world_.groups_.Set(key, std::move(group));
  RefreshGroup(key.ns);
  return ObjectPtr(std::move(old));
}

std::optional<ObjectPtr> OperatorEditor::Put(olm::NamespacePtr ns) {
  const olm::NamespacePtr* found = world_.namespaces_.Find(ns->name);
  if (found != nullptr && **found == *ns) {
    if (WrittenAgain(**found, *ns)) world_.namespaces_.Set(ns->name, ns);
    return std::nullopt;
  }
  olm::NamespacePtr old = ValueOf(found);
  world_.namespaces_.Set(ns->name, ns);
  RefreshSelectors(ns->name, old.get(), ns.get());
  return ObjectPtr(std::move(old));
}

std::optional<ObjectPtr> OperatorEditor::DropCsv(const kube::NamespacedName& key) {
  olm::CsvPtr old = ValueOf(world_.csvs_.Find(key));
  if (old == nullptr) return std::nullopt;
  world_.csvs_.Erase(key);
  if (!Shows(*old)) return std::nullopt;
  return ObjectPtr(std::move(old));
}

std::optional<ObjectPtr> OperatorEditor::DropGroup(const kube::NamespacedName& key) {
  olm::OperatorGroupPtr old = ValueOf(world_.groups_.Find(key));
  if (old == nullptr) return std::nullopt;
  world_.groups_.Erase(key);
  RefreshGroup(key.ns);
  return ObjectPtr(std::move(old));
}

std::optional<ObjectPtr> OperatorEditor::DropNamespace(const std::string& name) {
  olm::NamespacePtr old = ValueOf(world_.namespaces_.Find(name));
  if (old == nullptr) return std::nullopt;
  world_.namespaces_.Erase(name);
  RefreshSelectors(name, old.get(), nullptr);
  return ObjectPtr(std::move(old));
}

std::vector<std::string> OperatorEditor::ExplicitTargets(const olm::OperatorGroup& group) const {
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

void OperatorEditor::RefreshGroup(const std::string& install_namespace) {
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

void OperatorEditor::RefreshSelectors(const std::string& ns, const olm::Namespace* before,
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

void OperatorEditor::SetTargeting(const std::string& ns, const std::string& install_namespace,
                                  bool targets) {
  const auto* found = world_.targeting_.Find(ns);
  auto next = With(found == nullptr ? nullptr : *found, install_namespace, targets);
  if (next->empty()) {
    world_.targeting_.Erase(ns);
  } else {
    world_.targeting_.Set(ns, std::move(next));
  }
}

void OperatorEditor::SetGlobal(const std::string& install_namespace, bool global) {
  world_.global_ = With(world_.global_, install_namespace, global);
}

}  // namespace steward::storage
