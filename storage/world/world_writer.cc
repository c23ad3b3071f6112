#include "storage/world/world_writer.h"

#include <algorithm>
#include <utility>

namespace steward::storage {
namespace {

// `sub` has two digits in the packed number.
constexpr uint32_t kSubs = 100;

const kube::NamespacedName& KeyOf(const olm::Csv& csv) { return csv.key; }
const kube::NamespacedName& KeyOf(const olm::OperatorGroup& group) { return group.key; }
kube::NamespacedName KeyOf(const olm::Namespace& ns) { return {"", ns.name}; }

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

}  // namespace

void WorldWriter::Put(olm::CsvPtr csv, uint64_t revision) {
  Advance(Source::kCsv, revision, Change(std::move(csv)));
}
void WorldWriter::Put(olm::OperatorGroupPtr group, uint64_t revision) {
  Advance(Source::kOperatorGroup, revision, Change(std::move(group)));
}
void WorldWriter::Put(olm::NamespacePtr ns, uint64_t revision) {
  Advance(Source::kNamespace, revision, Change(std::move(ns)));
}

void WorldWriter::Remove(Source source, const kube::NamespacedName& key, uint64_t revision) {
  Advance(source, revision, Drop(source, key));
}

void WorldWriter::Replace(std::vector<olm::CsvPtr> objects, uint64_t revision) {
  ReplaceAll(Source::kCsv, Keys(Source::kCsv), std::move(objects), revision);
}
void WorldWriter::Replace(std::vector<olm::OperatorGroupPtr> objects, uint64_t revision) {
  ReplaceAll(Source::kOperatorGroup, Keys(Source::kOperatorGroup), std::move(objects), revision);
}
void WorldWriter::Replace(std::vector<olm::NamespacePtr> objects, uint64_t revision) {
  ReplaceAll(Source::kNamespace, Keys(Source::kNamespace), std::move(objects), revision);
}

void WorldWriter::ReplaceAbsent(Source source) {
  bool visible = false;
  for (const kube::NamespacedName& key : Keys(source)) visible |= Drop(source, key);
  state(source).synced = true;
  // An absent kind has no revision of its own; what vanished with it did so no earlier than the
  // newest one known.
  uint64_t newest = 0;
  for (const SourceState& s : world_.sources_) newest = std::max(newest, s.seen);
  Advance(source, visible ? newest : state(source).seen, visible);
}

template <typename T>
void WorldWriter::ReplaceAll(Source source, std::vector<kube::NamespacedName> present,
                             std::vector<T> objects, uint64_t revision) {
  std::vector<kube::NamespacedName> listed;
  listed.reserve(objects.size());
  for (const T& object : objects) listed.push_back(KeyOf(*object));
  std::sort(listed.begin(), listed.end());

  bool visible = false;
  for (const kube::NamespacedName& key : present) {
    if (!std::binary_search(listed.begin(), listed.end(), key)) visible |= Drop(source, key);
  }
  for (T& object : objects) visible |= Change(std::move(object));
  // The first list sets where this source stands even when it is empty.
  visible |= !state(source).synced;
  state(source).synced = true;
  Advance(source, revision, visible);
}

std::vector<kube::NamespacedName> WorldWriter::Keys(Source source) const {
  std::vector<kube::NamespacedName> keys;
  switch (source) {
    case Source::kCsv:
      for (auto it = world_.csvs_.begin(); !it.done(); it.Next()) keys.push_back(it.key());
      break;
    case Source::kOperatorGroup:
      for (auto it = world_.groups_.begin(); !it.done(); it.Next()) keys.push_back(it.key());
      break;
    case Source::kNamespace:
      for (auto it = world_.namespaces_.begin(); !it.done(); it.Next()) {
        keys.push_back({"", it.key()});
      }
      break;
  }
  return keys;
}

void WorldWriter::Progress(Source source, uint64_t revision) { Advance(source, revision, false); }

void WorldWriter::SetConnected(Source source, bool connected) {
  state(source).connected = connected;
}

void WorldWriter::Advance(Source source, uint64_t revision, bool visible) {
  SourceState& s = state(source);
  s.seen = std::max(s.seen, revision);
  if (!visible) return;
  s.rev = std::max(s.rev, revision);
  // The clock reads as an etcd revision and never goes down, and every visible change moves it.
  if (++world_.sub_ == kSubs) {
    ++world_.clock_;
    world_.sub_ = 0;
  }
  uint64_t newest = 0;
  for (const SourceState& each : world_.sources_) newest = std::max(newest, each.rev);
  if (newest > world_.clock_) {
    world_.clock_ = newest;
    world_.sub_ = 0;
  }
}

bool WorldWriter::Change(olm::CsvPtr csv) {
  const olm::CsvPtr* old = world_.csvs_.Find(csv->key);
  if (old != nullptr && **old == *csv) return false;
  const kube::NamespacedName key = csv->key;
  // A copy shows nowhere: it counts as a change only where it takes the place of an original.
  const bool visible = !csv->copied || (old != nullptr && !(*old)->copied);
  world_.csvs_.Set(key, std::move(csv));
  return visible;
}

bool WorldWriter::Change(olm::OperatorGroupPtr group) {
  const olm::OperatorGroupPtr* old = world_.groups_.Find(group->key);
  if (old != nullptr && **old == *group) return false;
  const kube::NamespacedName key = group->key;
  world_.groups_.Set(key, std::move(group));
  RefreshGroup(key.ns);
  return true;
}

bool WorldWriter::Change(olm::NamespacePtr ns) {
  const olm::NamespacePtr* found = world_.namespaces_.Find(ns->name);
  const olm::NamespacePtr old = found == nullptr ? nullptr : *found;
  if (old != nullptr && *old == *ns) return false;
  world_.namespaces_.Set(ns->name, ns);
  RefreshSelectors(ns->name, old.get(), ns.get());
  return true;
}

bool WorldWriter::Drop(Source source, const kube::NamespacedName& key) {
  switch (source) {
    case Source::kCsv: {
      const olm::CsvPtr* old = world_.csvs_.Find(key);
      if (old == nullptr) return false;
      const bool visible = !(*old)->copied;
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

std::vector<std::string> WorldWriter::ExplicitTargets(const olm::OperatorGroup& group) const {
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

void WorldWriter::RefreshGroup(const std::string& install_namespace) {
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

  if (before) {
    for (const std::string& ns : ExplicitTargets(*before))
      SetTargeting(ns, install_namespace, false);
  }
  selector_installs_.erase(install_namespace);
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
    selector_installs_.insert(install_namespace);
  }
  world_.effective_.Set(install_namespace, std::move(next));
}

void WorldWriter::RefreshSelectors(const std::string& ns, const olm::Namespace* before,
                                   const olm::Namespace* after) {
  for (const std::string& install_namespace : selector_installs_) {
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

void WorldWriter::SetTargeting(const std::string& ns, const std::string& install_namespace,
                               bool targets) {
  const auto* found = world_.targeting_.Find(ns);
  auto next = With(found == nullptr ? nullptr : *found, install_namespace, targets);
  if (next->empty()) {
    world_.targeting_.Erase(ns);
  } else {
    world_.targeting_.Set(ns, std::move(next));
  }
}

void WorldWriter::SetGlobal(const std::string& install_namespace, bool global) {
  world_.global_ = With(world_.global_, install_namespace, global);
}

}  // namespace steward::storage
