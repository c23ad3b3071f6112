#include "apiserver/views/installed_operator/diff.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/installed_operator/object.h"
#include "apiserver/views/installed_operator/selection.h"
#include "apiserver/views/virtual_resource/selection.h"
#include "kube/meta/resource_version.h"
#include "olm/targets.h"

namespace steward::views {
namespace {

using storage::EffectiveGroup;
using storage::OperatorWorld;
using Type = rest::WatchEvent::Type;

constexpr int kLooksPerTurn = 500;

bool SameScope(const EffectiveGroup* a, const EffectiveGroup* b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->group->key.name == b->group->key.name &&
         olm::ModeFor(a->targets) == olm::ModeFor(b->targets);
}

// SamePiece is true if the visible parts of two objects are equal. SameElsewhere ignores those
// parts of a ClusterServiceVersion that only its own namespace shows.
bool SameElsewhere(const olm::Csv& a, const olm::Csv& b) {
  return static_cast<const olm::CsvContent&>(a) == b;
}
bool SamePiece(const olm::Csv& a, const olm::Csv& b) {
  return SameElsewhere(a, b) && a.component_labels == b.component_labels;
}
bool SamePiece(const olm::Namespace& a, const olm::Namespace& b) {
  return a.uid == b.uid && a.created == b.created && a.labels == b.labels;
}
bool SamePiece(const EffectiveGroup& a, const EffectiveGroup& b) {
  return SameScope(&a, &b) && a.group->SameSpec(*b.group);
}

// Accept shared pointers or values, from two versions of a map; two nulls are equal.
const olm::Csv* Get(const olm::CsvPtr* found) { return found == nullptr ? nullptr : found->get(); }
const olm::Namespace* Get(const olm::NamespacePtr* found) {
  return found == nullptr ? nullptr : found->get();
}
template <typename T>
bool SameThere(const T* a, const T* b) {
  return a == b || (a != nullptr && b != nullptr && SamePiece(*a, *b));
}

bool SameUid(const Appearance& a, const Appearance& b) {
  return a.csv->uid == b.csv->uid && a.ns->uid == b.ns->uid;
}

// True if both have own numbers, and that of `after` is above that of `before`, or is equal to it
// and of the same vector. At one clock a component can rise alone: a source may show a write of
// before the clock's late. (Equal texts do not suffice, as they do not tell components far back.)
bool Rises(const Appearance& before, const Appearance& after) {
  const std::optional<storage::Number> a = OwnNumber(before), b = OwnNumber(after);
  if (!a || !b) return false;
  if (a->clock != b->clock) return b->clock > a->clock;
  return b->vector == a->vector || kube::CompareResourceVersions(b->ToString(), a->ToString()) > 0;
}

}  // namespace

bool SameObject(const Appearance& a, const Appearance& b) {
  const bool same_csv =
      a.csv == b.csv || (a.own ? SamePiece(*a.csv, *b.csv) : SameElsewhere(*a.csv, *b.csv));
  return same_csv && a.ns->uid == b.ns->uid && a.ns->created == b.ns->created && a.own == b.own &&
         a.targeted == b.targeted && SameScope(a.group, b.group) &&
         std::equal(a.hidden.begin(), a.hidden.end(), b.hidden.begin(), b.hidden.end(),
                    [](const olm::Csv* x, const olm::Csv* y) { return x->key.ns == y->key.ns; });
}

DiffCursor::DiffCursor(Span span, rest::Selection selection)
    : before_(OperatorWorld::Of(std::move(span.before))),
      after_(OperatorWorld::Of(std::move(span.after))),
      touched_(storage::TouchedOperators::Of(span.touched)),
      selection_(std::move(selection)),
      again_(std::move(span.again)),
      in_before_(before_->namespaces().begin()),
      in_after_(after_->namespaces().begin()) {
  DropUnseen();
  AddModeChanges();
  some_ = touched_.namespaces;
  for (const kube::NamespacedName& csv : touched_.csvs) {
    AddTargets(*before_, csv.ns);
    AddTargets(*after_, csv.ns);
  }
  for (const std::string& install : touched_.installs) {
    AddTargets(*before_, install);
    AddTargets(*after_, install);
  }
  for (const kube::NamespacedName& key : again_) some_.insert(key.ns);
  if (const std::string* only = SelectedNamespace(selection_)) {
    const bool meant = all_ || some_.count(*only) > 0;
    all_ = false;
    some_.clear();
    if (meant) some_.insert(*only);
  }
}

// Drops changes that are not visible, such as most of the facts that cleanup reads.
void DiffCursor::DropUnseen() {
  std::erase_if(touched_.csvs, [this](const kube::NamespacedName& key) {
    return SameThere(Get(before_->csvs().Find(key)), Get(after_->csvs().Find(key)));
  });
  std::erase_if(touched_.installs, [this](const std::string& install) {
    return SameThere(before_->GroupIn(install), after_->GroupIn(install));
  });
  std::erase_if(touched_.namespaces, [this](const std::string& ns) {
    return SameThere(Get(before_->namespaces().Find(ns)), Get(after_->namespaces().Find(ns)));
  });
}

// When Namespaces come and go, the install mode of a group with a selector can change. The mode is
// visible in every namespace in which the group's operators appear.
void DiffCursor::AddModeChanges() {
  if (touched_.namespaces.empty()) return;
  for (const OperatorWorld* world : {before_.get(), after_.get()}) {
    for (const std::string& install : world->selecting_installs()) {
      if (!SameScope(before_->GroupIn(install), after_->GroupIn(install))) {
        touched_.installs.insert(install);
      }
    }
  }
}

void DiffCursor::AddTargets(const OperatorWorld& world, const std::string& install) {
  some_.insert(install);
  const EffectiveGroup* group = world.GroupIn(install);
  if (group == nullptr) return;
  switch (olm::KindOfTargets(*group->group)) {
    case olm::TargetKind::kNone:
      break;
    case olm::TargetKind::kList:
      some_.insert(group->group->target_namespaces.begin(), group->group->target_namespaces.end());
      break;
    case olm::TargetKind::kAll:
    case olm::TargetKind::kSelector:
      all_ = true;
      break;
  }
}

std::optional<std::string> DiffCursor::NextNamespace() {
  // A namespace of some_ may be in neither World, because again_ may have keys in deleted
  // namespaces.
  const std::string* next = some_.empty() ? nullptr : &*some_.begin();
  if (all_) {
    for (const NamespaceIterator* it : {&in_before_, &in_after_}) {
      if (!it->done() && (next == nullptr || it->key() < *next)) next = &it->key();
    }
  }
  if (next == nullptr) return std::nullopt;
  std::string name = *next;
  some_.erase(name);
  for (NamespaceIterator* it : {&in_before_, &in_after_}) {
    if (!it->done() && it->key() == name) it->Next();
  }
  return name;
}

void DiffCursor::AddNamesOf(const OperatorWorld& world, const std::string& install) {
  for (auto it = world.csvs().LowerBound({install, ""}); !it.done() && it.key().ns == install;
       it.Next()) {
    names_.insert(it.key().name);
  }
}

void DiffCursor::AddNames(const std::string& ns) {
  if (touched_.namespaces.count(ns) > 0) {
    for (const OperatorWorld* world : {before_.get(), after_.get()}) {
      for (const Appearance& seen : AppearancesIn(*world, ns)) names_.insert(seen.csv->key.name);
    }
  }
  for (const kube::NamespacedName& csv : touched_.csvs) names_.insert(csv.name);
  for (const std::string& install : touched_.installs) {
    AddNamesOf(*before_, install);
    AddNamesOf(*after_, install);
  }
  for (auto it = again_.lower_bound({ns, ""}); it != again_.end() && it->ns == ns; ++it) {
    names_.insert(it->name);
  }
  if (const std::string* only = SelectedName(selection_)) {
    const bool meant = names_.count(*only) > 0;
    names_.clear();
    if (meant) names_.insert(*only);
  }
}

std::optional<Appearance> DiffCursor::Find(const OperatorWorld& world,
                                           const kube::NamespacedName& key) const {
  std::optional<Appearance> seen = FindAppearance(world, key.ns, key.name);
  if (seen && !Selects(selection_, *seen)) seen.reset();
  return seen;
}

void DiffCursor::Compare(const kube::NamespacedName& key) {
  const std::optional<Appearance> before = Find(*before_, key);
  const std::optional<Appearance> after = Find(*after_, key);
  const bool again = again_.count(key) > 0;
  if (!again && before.has_value() == after.has_value() &&
      (!before || SameObject(*before, *after))) {
    return;
  }
  const bool same = before && after && SameUid(*before, *after);
  if (before && !same) {
    events_.push_back({Type::kDeleted, key, std::make_unique<InstalledOperatorObject>(*before)});
  } else if (again && !same) {
    events_.push_back({Type::kDeleted, key, InstalledOperatorTombstone(key)});
  }
  if (after) {
    events_.push_back({same ? Type::kModified : Type::kAdded, key,
                       std::make_unique<InstalledOperatorObject>(*after),
                       same ? Rises(*before, *after) : OwnNumber(*after).has_value()});
  }
}

std::optional<ViewEvent> DiffCursor::Next() {
  for (int looks = 0; looks < kLooksPerTurn; looks += 1 + LabelLooks(selection_)) {
    if (!events_.empty()) {
      ViewEvent event = std::move(events_.front());
      events_.pop_front();
      return event;
    }
    if (names_.empty()) {
      std::optional<std::string> ns = NextNamespace();
      if (!ns) {
        done_ = true;
        return std::nullopt;
      }
      ns_ = *std::move(ns);
      AddNames(ns_);
      continue;
    }
    Compare({ns_, names_.extract(names_.begin()).value()});
  }
  return std::nullopt;
}

}  // namespace steward::views
