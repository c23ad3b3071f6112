#include "controllers/copied_rbac/copied_rbac.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/async/race.h"
#include "base/log/log.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/copied_rbac/wait_note.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/world_changes.h"
#include "controllers/runtime/write_outcome.h"
#include "kube/meta/errors.h"
#include "kube/meta/resources.h"
#include "olm/copied_rbac/rbac_copy.h"
#include "olm/copied_rbac/rbac_object.h"
#include "olm/copy.h"
#include "olm/decode.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace {

using storage::OperatorWorld;

// The wait until there is a World.
constexpr absl::Duration kUnknownWait = absl::Milliseconds(500);
// Events are gathered for this long, because most of them are of this process's own writes.
constexpr absl::Duration kEventWait = absl::Milliseconds(100);
// How long a snapshot proves that a copy may be deleted, or may be written. Short, because access
// must end within a minute of its reason.
constexpr absl::Duration kGoodForRemovals = absl::Seconds(20);
constexpr absl::Duration kGoodForPuts = absl::Seconds(30);
// After this time a kube-apiserver knows that a Role is locked. If one does not, a later look finds
// the bindings that it permitted.
constexpr absl::Duration kLockWait = absl::Seconds(1);
// The number of pairs that are locked together. The next are locked while servers learn of it.
constexpr size_t kTogether = 1000;
// The longest time for which unwanted copies wait for those that take their place. Even if this
// process dies at its end, the next leader has read everything within a minute of the beginning.
constexpr absl::Duration kLongestHold = absl::Seconds(35);
// The time between two looks at all RoleBindings.
constexpr absl::Duration kLookWait = absl::Seconds(30);
// The wait for objects in the way of a copy, because they are not watched.
constexpr absl::Duration kForeignWait = absl::Seconds(30);
// Waits for owners that their watch does not report, and for copies from namespaces without
// operators.
constexpr absl::Duration kOwnerWait = absl::Seconds(5);
constexpr absl::Duration kOrphanWait = absl::Seconds(5);
// The key of copies from namespaces without operators, and the key of the looks at all
// RoleBindings.
Key Orphans() { return {}; }
Key Looks() { return {"looks", ""}; }

MetadataSelection Selection(const kube::GroupVersionResource& gvr, std::string selector) {
  MetadataSelection selection;
  selection.gvr = gvr;
  selection.label_selector = std::move(selector);
  return selection;
}

}  // namespace

struct CopiedRbacReconciler::Put {
  RbacSlot slot;
  kube::NamespacedName csv;  // the original
  std::optional<absl::StatusOr<PutResult>> result;

  const kube::NamespacedName& role() const { return slot.role.key; }
};

// Puts whose Roles were locked together, and wait for their rules.
struct CopiedRbacReconciler::LockedPuts {
  std::vector<Put*> puts;
  std::set<std::string> namespaces;
  absl::Duration at;  // when the last was locked (monotonic)
};

struct CopiedRbacReconciler::Pass {
  storage::OperatorWorldPtr world;
  RbacSnapshot seen;
  std::vector<olm::StoredRbac*> removals;
  // Copies to remove once the copies that replace them in their namespaces are written.
  std::vector<olm::StoredRbac*> replaced;
  // The copies that need no write.
  std::set<kube::NamespacedName> right_roles;
  std::set<kube::NamespacedName> right_bindings;
  bool compared = false;  // right_roles and right_bindings are known
  std::vector<Put> puts;
  std::set<std::string> ownerless;          // the namespaces in which copies wait for their owners
  std::set<kube::NamespacedName> resisted;  // objects that resisted before, and still do
  std::optional<absl::Duration> due;        // when the next look is due (monotonic)
  absl::Status failure;                     // the first
  bool unfinished = false;                  // the snapshot became too old
  bool stale = false;
  bool lifts_wait = false;
  size_t foreign = 0;

  void Due(absl::Duration at) { due = due ? std::min(*due, at) : at; }
};

CopiedRbacReconciler::CopiedRbacReconciler(const ReconcilerDeps& deps, CopiedRbacMetrics& metrics,
                                           ParallelWriterOptions options)
    : deps_(deps),
      metrics_(metrics),
      copies_(deps.client, metrics),
      writer_(deps.leadership, deps.clock, options),
      roles_(deps, olm::RbacKind::kRole,
             {[this](const std::string& source) { AddLabelled(source); }, [this] { AddAll(); }}),
      bindings_(
          deps, olm::RbacKind::kRoleBinding,
          {[this](const std::string& source) { AddLabelled(source); }, [this] { AddAll(); }}) {}

CopiedRbacReconciler::~CopiedRbacReconciler() { metrics_.ForgetAll(); }

VoidTask CopiedRbacReconciler::Feed(WorkQueue& queue) {
  queue_ = &queue;
  OpenWatches();
  VoidTask worlds = FollowWorlds(
      deps_.worlds, [this](const storage::World& world, const storage::TouchedOperators* touched) {
        NoteWorld(world, touched);
      });
  VoidTask copies = UntilOneEnds(roles_.Run(), bindings_.Run());
  co_await UntilOneEnds(std::move(worlds), std::move(copies));
}

void CopiedRbacReconciler::OpenWatches() {
  // Watch the originals, because Worlds do not tell that one is being deleted.
  MetadataCallbacks originals;
  originals.changed = [this](const kube::NamespacedName& csv) { Add(csv.ns); };
  originals_ = deps_.metadata.Open(Selection(olm::kCsvs, StrCat("!", olm::kCopiedFromLabel)),
                                   std::move(originals));
  MetadataCallbacks copied;
  copied.changed = [this](const kube::NamespacedName& csv) { NoteCopiedCsv(csv); };
  copied_csvs_ = deps_.metadata.Open(Selection(olm::kCsvs, std::string(olm::kCopiedFromLabel)),
                                     std::move(copied));
  MetadataCallbacks operators;
  operators.changed = [this](const kube::NamespacedName& name) {
    const auto it = components_.find(name.name);
    if (it == components_.end()) return;
    for (const std::string& source : it->second) Add(source);
  };
  operators_ = deps_.metadata.Open(Selection(olm::kOperators, ""), std::move(operators));
}

void CopiedRbacReconciler::Add(const std::string& source, absl::Duration wait) {
  if (wait > absl::ZeroDuration()) {
    queue_->AddAfter({"", source}, wait);
  } else {
    queue_->Add({"", source});
  }
}

void CopiedRbacReconciler::AddLabelled(const std::string& source) {
  if (HasOperators(*OperatorWorld::Of(deps_.worlds.Current()), source)) {
    Add(source, kEventWait);
  } else {
    queue_->AddAfter(Orphans(), kOrphanWait);
  }
}

void CopiedRbacReconciler::AddAll() {
  const auto add = [this](const std::string& source) { AddLabelled(source); };
  roles_.ForEachSource(add);
  bindings_.ForEachSource(add);
  const storage::OperatorWorldPtr world = OperatorWorld::Of(deps_.worlds.Current());
  for (auto it = world->csvs().begin(); !it.done(); it.Next()) Add(it.key().ns);
  // Also look regularly, because lifted objects are not watched.
  queue_->AddAfter(Orphans(), kOrphanWait);
  queue_->Add(Looks());
}

void CopiedRbacReconciler::NoteWorld(const storage::World& any,
                                     const storage::TouchedOperators* touched) {
  if (touched == nullptr) return AddAll();
  const OperatorWorld& world = OperatorWorld::Of(any);
  for (const kube::NamespacedName& csv : touched->csvs) Add(csv.ns);
  for (const std::string& install : touched->installs) Add(install);
  for (const std::string& ns : touched->namespaces) {
    for (const std::string& install : world.InstallsTargeting(ns)) Add(install);
  }
  if (touched->namespaces.empty()) return;
  // A namespace that a selector does not match any more is in no list of targets, so look at all
  // groups with selectors.
  for (const std::string& install : world.selecting_installs()) Add(install);
}

void CopiedRbacReconciler::NoteCopiedCsv(const kube::NamespacedName& copy) {
  const storage::OperatorWorldPtr world = OperatorWorld::Of(deps_.worlds.Current());
  for (const std::string& install : world->InstallsTargeting(copy.ns)) {
    if (world->csvs().Find({install, copy.name}) != nullptr) Add(install, kEventWait);
  }
}

void CopiedRbacReconciler::NoteComponents(const Pass& pass) {
  const std::string& source = pass.seen.source;
  for (auto it = components_.begin(); it != components_.end();) {
    it->second.erase(source);
    it = it->second.empty() ? components_.erase(it) : std::next(it);
  }
  for (const auto& [csv, name] : pass.seen.operators) components_[name].insert(source);
}

Task<ReconcileResult> CopiedRbacReconciler::Reconcile(Key key) {
  Pass pass;
  pass.world = OperatorWorld::Of(deps_.worlds.Current());
  if (!pass.world->synced()) co_return ReconcileResult::After(kUnknownWait);
  if (key == Orphans()) co_return co_await ReconcileOrphans();
  if (key == Looks()) co_return co_await LookAtBindings();
  CO_ASSIGN_OR_RETURN(pass.seen, co_await ReadRbacSnapshot(deps_.client, deps_.clock, key.name));
  NoteComponents(pass);
  TellTooLarge(pass);
  CO_RETURN_IF_ERROR(co_await PlanRemovals(pass));
  absl::Status ended = co_await RemoveOutside(pass);
  // Go on, because removals do not wait for originals that cannot be read.
  pass.failure.Update(pass.seen.unread_reason);
  const absl::Status compared = co_await FindRight(pass);
  pass.failure.Update(compared);
  pass.compared = compared.ok();
  if (pass.compared) Plan(pass);
  HoldReplaced(pass);
  if (ended.ok()) ended = co_await Write(pass);
  if (ended.ok()) ended = co_await TakeBack(pass);
  if (ended.ok()) ended = co_await Lift(pass);
  const absl::Status concluded = Conclude(pass);
  if (ended.ok() && pass.compared) resistance_.Keep(pass.seen.source, pass.resisted);
  metrics_.SetForeign(key.name, pass.foreign);
  CO_RETURN_IF_ERROR(ended);
  CO_RETURN_IF_ERROR(concluded);
  if (pass.stale) {
    // An error delays the retry, because somebody may change the copies for ever.
    co_return absl::AbortedError(StrCat("Copies of Roles and RoleBindings from namespace ",
                                        key.name, " changed while they were written"));
  }
  co_return Next(pass);
}

ReconcileResult CopiedRbacReconciler::Next(const Pass& pass) const {
  if (pass.unfinished) return ReconcileResult::After(kEventWait);
  absl::Duration wait = absl::InfiniteDuration();
  if (pass.due) wait = std::max(*pass.due - deps_.clock.Monotonic(), kEventWait);
  if (!pass.ownerless.empty() || pass.lifts_wait) wait = std::min(wait, kOwnerWait);
  if (pass.foreign > 0) wait = std::min(wait, kForeignWait);
  return wait < absl::InfiniteDuration() ? ReconcileResult::After(wait) : ReconcileResult::Done();
}

Task<ReconcileResult> CopiedRbacReconciler::LookAtBindings() {
  CO_ASSIGN_OR_RETURN(BoundRoles found, co_await ReadBoundBeside(deps_.client, roles_.copies()));
  const storage::OperatorWorldPtr world = OperatorWorld::Of(deps_.worlds.Current());
  for (auto& [source, roles] : found) {
    // Skip namespaces without operators, because their copies are about to be deleted.
    if (!HasOperators(*world, source)) continue;
    bound_[source].merge(roles);
    AddLabelled(source);
  }
  co_return ReconcileResult::After(kLookWait);
}

// Deletes and writes. A failed deletion prevents no write, nor the other way round.
StatusTask CopiedRbacReconciler::Write(Pass& pass) {
  absl::Status ended = co_await Remove(pass);
  if (ended.ok()) ended = co_await NoteWaits(pass);
  if (ended.ok()) ended = co_await PutAll(pass);
  CO_RETURN_IF_ERROR(ended);
  ReleaseReplaced(pass);
  co_return co_await Remove(pass);
}

Task<ReconcileResult> CopiedRbacReconciler::ReconcileOrphans() {
  Pass pass;
  pass.world = OperatorWorld::Of(deps_.worlds.Current());
  pass.seen.read_at = deps_.clock.Monotonic();
  CO_ASSIGN_OR_RETURN(std::vector<olm::StoredRbac> orphans,
                      co_await ReadOrphans(deps_.client, pass.world));
  for (olm::StoredRbac& copy : orphans) pass.removals.push_back(&copy);
  CO_RETURN_IF_ERROR(co_await Remove(pass));
  CO_ASSIGN_OR_RETURN(std::vector<LiftedWrite> lifted, co_await OrphanedLifted(deps_.client));
  CO_RETURN_IF_ERROR(co_await LiftAll(pass, std::move(lifted)));
  resistance_.Keep(pass.seen.source, pass.resisted);
  CO_RETURN_IF_ERROR(pass.failure);
  if (pass.stale || pass.unfinished) co_return ReconcileResult::After(kOrphanWait);
  co_return Next(pass);
}

bool CopiedRbacReconciler::IsTarget(const Pass& pass, const std::string& ns) const {
  const olm::NamespacePtr* found = pass.world->namespaces().Find(ns);
  return found != nullptr && !(*found)->terminating && pass.seen.Targets(ns, (*found)->labels);
}

StatusTask CopiedRbacReconciler::FindRight(Pass& pass) {
  if (!pass.seen.IsExplicit() || pass.seen.pairs.empty()) co_return absl::OkStatus();
  std::map<std::string_view, const olm::RbacPair*> pairs;
  for (const olm::RbacPair& pair : pass.seen.pairs) pairs[pair.name] = &pair;
  for (const olm::RbacKind kind : {olm::RbacKind::kRole, olm::RbacKind::kRoleBinding}) {
    std::set<kube::NamespacedName>& right =
        kind == olm::RbacKind::kRole ? pass.right_roles : pass.right_bindings;
    CO_RETURN_IF_ERROR(co_await VisitCopies(
        deps_.client, kind, pass.seen.source,
        [this, &pass, &pairs, &right, kind](const olm::StoredRbac& copy) {
          const kube::NamespacedName& key = copy.facts.key;
          const auto pair = pairs.find(key.name);
          if (pair == pairs.end() || !IsTarget(pass, key.ns)) return;
          const olm::CopyOwners owners = pass.seen.OwnersIn(pair->second->csv.name, key.ns);
          const olm::WantedRbac wanted = olm::CopyOf(*pair->second, kind, key.ns, owners);
          if (olm::Compare(copy, wanted) == olm::Difference::kNone) right.insert(key);
        }));
  }
  co_return absl::OkStatus();
}

void CopiedRbacReconciler::Plan(Pass& pass) {
  if (!pass.seen.IsExplicit()) return;
  for (auto it = pass.world->namespaces().begin(); !it.done(); it.Next()) {
    const olm::Namespace& ns = *it.value();
    if (IsTarget(pass, ns.name)) PlanNamespace(pass, ns);
  }
  const auto failed = failed_.find(pass.seen.source);
  if (failed == failed_.end()) return;
  std::stable_partition(pass.puts.begin(), pass.puts.end(),
                        [&failed](const Put& put) { return !failed->second.contains(put.role()); });
}

void CopiedRbacReconciler::PlanNamespace(Pass& pass, const olm::Namespace& ns) {
  const auto find = [](const StoredCopies& copies, const kube::NamespacedName& key) {
    const auto it = copies.find(key);
    return it == copies.end() ? nullptr : &it->second;
  };
  for (const olm::RbacPair& pair : pass.seen.pairs) {
    const kube::NamespacedName key = {ns.name, pair.name};
    if (pass.right_roles.contains(key) && pass.right_bindings.contains(key)) continue;
    if (Resists(pass, key)) continue;
    const olm::CopyOwners owners = pass.seen.OwnersIn(pair.csv.name, ns.name);
    Put put;
    put.csv = pair.csv;
    put.slot.role = olm::CopyOf(pair, olm::RbacKind::kRole, ns.name, owners);
    put.slot.binding = olm::CopyOf(pair, olm::RbacKind::kRoleBinding, ns.name, owners);
    put.slot.role_there = find(pass.seen.roles, put.role());
    put.slot.binding_there = find(pass.seen.bindings, put.role());
    const bool absent = put.slot.role_there == nullptr && put.slot.binding_there == nullptr;
    if (absent && put.slot.role.owners.empty()) {
      // The owners of the copy (copied ClusterServiceVersion and Operator) do not exist yet.
      pass.ownerless.insert(ns.name);
      continue;
    }
    pass.puts.push_back(std::move(put));
  }
}

StatusTask CopiedRbacReconciler::PlanRemovals(Pass& pass) {
  std::set<std::string> wanted;
  for (const olm::RbacPair& pair : pass.seen.pairs) wanted.insert(pair.name);
  wanted.insert(pass.seen.unread.begin(), pass.seen.unread.end());
  std::vector<olm::StoredRbac*> doubtful;
  std::set<std::string> namespaces;
  for (StoredCopies* copies : {&pass.seen.roles, &pass.seen.bindings}) {
    for (auto& [key, copy] : *copies) {
      if (!wanted.contains(key.name)) {
        pass.removals.push_back(&copy);
        continue;
      }
      const olm::NamespacePtr* ns = pass.world->namespaces().Find(key.ns);
      if (ns != nullptr && pass.seen.Targets(key.ns, (*ns)->labels)) continue;
      doubtful.push_back(&copy);
      namespaces.insert(key.ns);
    }
  }
  if (doubtful.empty()) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(const std::set<std::string> targets,
                      co_await ReadTargets(deps_.client, pass.seen, std::move(namespaces)));
  for (olm::StoredRbac* copy : doubtful) {
    if (!targets.contains(copy->facts.key.ns)) pass.removals.push_back(copy);
  }
  co_return absl::OkStatus();
}

StatusTask CopiedRbacReconciler::RemoveOutside(Pass& pass) {
  const auto inside = std::stable_partition(
      pass.removals.begin(), pass.removals.end(),
      [this, &pass](const olm::StoredRbac* copy) { return !IsTarget(pass, copy->facts.key.ns); });
  std::vector<olm::StoredRbac*> rest(inside, pass.removals.end());
  pass.removals.erase(inside, pass.removals.end());
  const absl::Status ended = co_await Remove(pass);
  pass.removals = std::move(rest);
  co_return ended;
}

void CopiedRbacReconciler::HoldReplaced(Pass& pass) {
  std::set<std::string> awaited = pass.ownerless;
  for (const Put& put : pass.puts) awaited.insert(put.role().ns);
  const auto is_awaited = [this, &pass, &awaited](const olm::StoredRbac* copy) {
    const std::string& ns = copy->facts.key.ns;
    return awaited.contains(ns) || MayAwait(pass, ns);
  };
  const absl::Duration now = deps_.clock.Monotonic();
  std::map<std::string, absl::Duration>& before = held_since_[pass.seen.source];
  std::map<std::string, absl::Duration> since;
  for (const olm::StoredRbac* copy : pass.removals) {
    if (!is_awaited(copy)) continue;
    const auto known = before.find(copy->facts.key.ns);
    absl::Duration& began =
        since.try_emplace(copy->facts.key.ns, known == before.end() ? now : known->second)
            .first->second;
    began = std::min(began, now - WaitedFor(*copy, deps_.clock.Now()));
  }
  const auto held = std::stable_partition(
      pass.removals.begin(), pass.removals.end(), [&](const olm::StoredRbac* copy) {
        return !is_awaited(copy) || now - since[copy->facts.key.ns] > kLongestHold;
      });
  pass.replaced.assign(held, pass.removals.end());
  pass.removals.erase(held, pass.removals.end());
  for (const olm::StoredRbac* copy : pass.replaced) {
    pass.Due(since[copy->facts.key.ns] + kLongestHold + kEventWait);
  }
  before = std::move(since);
  if (before.empty()) held_since_.erase(pass.seen.source);
}

bool CopiedRbacReconciler::MayAwait(const Pass& pass, const std::string& ns) const {
  const bool knows = pass.compared && pass.seen.unread.empty();
  return !knows && IsTarget(pass, ns);
}

StatusTask CopiedRbacReconciler::NoteWaits(Pass& pass) {
  std::set<std::string> noted;
  for (const olm::StoredRbac* copy : pass.replaced) {
    if (!copy->unwanted_since.empty()) noted.insert(copy->facts.key.ns);
  }
  std::vector<olm::StoredRbac*> first;
  for (olm::StoredRbac* copy : pass.replaced) {
    if (noted.insert(copy->facts.key.ns).second) first.push_back(copy);
  }
  const std::map<std::string, absl::Duration> since = held_since_[pass.seen.source];
  const WriteCounts counts = co_await writer_.Run(
      first.size(), [this, &pass, &first, &since](size_t number, kube::SendCheck may_send) {
        olm::StoredRbac& copy = *first[number];
        return NoteWait(pass, copy, since.at(copy.facts.key.ns), std::move(may_send));
      });
  co_return counts.ended;
}

StatusTask CopiedRbacReconciler::NoteWait(Pass& pass, olm::StoredRbac& copy, absl::Duration since,
                                          kube::SendCheck may_send) {
  const absl::Time began = deps_.clock.Now() - (deps_.clock.Monotonic() - since);
  kube::SendCheck recent = Recent(pass, kGoodForPuts, std::move(may_send));
  const absl::StatusOr<bool> noted = co_await copies_.NoteWait(copy, began, std::move(recent));
  if (noted.ok()) {
    pass.stale |= !*noted;
  } else {
    // Only log it, because this process remembers the time anyway.
    log::Warning(
        "Cannot note since when a copy is unwanted",
        {{"namespace", copy.facts.key.ns}, {"name", copy.facts.key.name}, {"err", noted.status()}});
  }
  co_return noted.status();
}

void CopiedRbacReconciler::ReleaseReplaced(Pass& pass) {
  std::set<std::string> awaited = pass.ownerless;
  for (const Put& put : pass.puts) {
    const bool ended = put.result && put.result->ok() && **put.result != PutResult::kStale;
    if (!ended) awaited.insert(put.role().ns);
  }
  pass.removals.clear();
  for (olm::StoredRbac* copy : pass.replaced) {
    const std::string& ns = copy->facts.key.ns;
    if (!awaited.contains(ns) && !MayAwait(pass, ns)) pass.removals.push_back(copy);
  }
}

kube::SendCheck CopiedRbacReconciler::Recent(const Pass& pass, absl::Duration good_for,
                                             kube::SendCheck may_send) const {
  return [may_send = std::move(may_send), good_for, read_at = pass.seen.read_at,
          &clock = deps_.clock]() -> absl::Status {
    if (clock.Monotonic() - read_at > good_for) {
      return absl::AbortedError("What this write stands on was read too long ago");
    }
    return kube::MaySend(may_send);
  };
}

StatusTask CopiedRbacReconciler::Remove(Pass& pass) {
  const WriteCounts counts = co_await writer_.Run(
      pass.removals.size(), [this, &pass](size_t number, kube::SendCheck may_send) {
        return RemoveOne(pass, *pass.removals[number], std::move(may_send));
      });
  co_return counts.ended;
}

StatusTask CopiedRbacReconciler::RemoveOne(Pass& pass, const olm::StoredRbac& copy,
                                           kube::SendCheck may_send) {
  if (Resists(pass, copy.facts.key)) co_return absl::OkStatus();
  kube::SendCheck recent = Recent(pass, kGoodForRemovals, std::move(may_send));
  const absl::StatusOr<PutResult> removed = co_await copies_.Remove(copy, std::move(recent));
  if (removed.ok()) {
    pass.stale |= *removed == PutResult::kStale;
    if (*removed == PutResult::kNotObeyed && NoteResistance(pass, copy.facts.key)) {
      log::Warning(
          "A copy that is being deleted keeps what it grants: something changes it on the "
          "way into the cluster",
          {{"kind", olm::NameOf(copy.kind)},
           {"namespace", copy.facts.key.ns},
           {"name", copy.facts.key.name}});
    }
  } else if (deps_.clock.Monotonic() - pass.seen.read_at > kGoodForRemovals) {
    pass.unfinished = true;
  } else if (!NamespaceEnds(removed.status())) {
    pass.failure.Update(removed.status());
  }
  co_return removed.status();
}

StatusTask CopiedRbacReconciler::PutAll(Pass& pass) {
  absl::Status ended;
  LockedPuts before;
  absl::Duration lock, give;  // what the last batch took
  for (size_t first = 0; first < pass.puts.size() && ended.ok(); first += kTogether) {
    // Lock no more than can get its rules in time, after those that are locked already.
    const absl::Duration began = deps_.clock.Monotonic();
    if (began + lock + 2 * give - pass.seen.read_at > kGoodForPuts) {
      pass.unfinished = true;
      break;
    }
    LockedPuts locked;
    ended = co_await LockSome(pass, first, locked);
    const absl::Duration given = deps_.clock.Monotonic();
    ended.Update(co_await GiveSome(pass, std::move(before)));
    lock = given - began;
    give = std::max(deps_.clock.Monotonic() - given, lock / 2);
    before = std::move(locked);
  }
  ended.Update(co_await GiveSome(pass, std::move(before)));
  co_return ended;
}

StatusTask CopiedRbacReconciler::LockSome(Pass& pass, size_t first, LockedPuts& locked) {
  const size_t count = std::min(kTogether, pass.puts.size() - first);
  const WriteCounts prepared =
      co_await writer_.Run(count, [this, &pass, first](size_t number, kube::SendCheck may_send) {
        return PrepareOne(pass, pass.puts[first + number], std::move(may_send));
      });
  locked.at = deps_.clock.Monotonic();
  for (size_t i = first; i < first + count; ++i) {
    Put& put = pass.puts[i];
    if (!put.slot.locked || !put.result || !put.result->ok()) continue;
    if (**put.result != PutResult::kDone) continue;
    locked.puts.push_back(&put);
    locked.namespaces.insert(put.role().ns);
  }
  co_return prepared.ended;
}

StatusTask CopiedRbacReconciler::GiveSome(Pass& pass, LockedPuts locked) {
  if (locked.puts.empty()) co_return absl::OkStatus();
  const absl::Duration known = locked.at + kLockWait - deps_.clock.Monotonic();
  if (known > absl::ZeroDuration()) co_await deps_.clock.Sleep(known);
  CO_ASSIGN_OR_RETURN(
      const std::set<kube::NamespacedName> bound,
      co_await ReadForeignlyBound(deps_.client, pass.seen, std::move(locked.namespaces)));
  std::vector<Put*> given;
  for (Put* put : locked.puts) {
    if (bound.contains(put->role())) {
      put->result = PutResult::kForeignBinding;
    } else {
      given.push_back(put);
    }
  }
  const WriteCounts counts = co_await writer_.Run(
      given.size(), [this, &pass, &given](size_t number, kube::SendCheck may_send) {
        return GiveOne(pass, *given[number], std::move(may_send));
      });
  co_return counts.ended;
}

StatusTask CopiedRbacReconciler::PrepareOne(Pass& pass, Put& put, kube::SendCheck may_send) {
  if (deps_.clock.Monotonic() - pass.seen.read_at > kGoodForPuts) {
    pass.unfinished = true;
    co_return absl::OkStatus();
  }
  kube::SendCheck recent = Recent(pass, kGoodForPuts, std::move(may_send));
  put.result = co_await copies_.Prepare(put.slot, std::move(recent));
  co_return put.result->status();
}

StatusTask CopiedRbacReconciler::GiveOne(Pass& pass, Put& put, kube::SendCheck may_send) {
  if (deps_.clock.Monotonic() - pass.seen.read_at > kGoodForPuts) {
    pass.unfinished = true;
    co_return absl::OkStatus();
  }
  kube::SendCheck recent = Recent(pass, kGoodForPuts, std::move(may_send));
  put.result = co_await copies_.Give(put.slot, std::move(recent));
  co_return put.result->status();
}

StatusTask CopiedRbacReconciler::TakeBack(Pass& pass) {
  const auto found = bound_.find(pass.seen.source);
  if (found == bound_.end()) co_return absl::OkStatus();
  const std::set<kube::NamespacedName> suspects = std::move(found->second);
  bound_.erase(found);
  std::set<std::string> namespaces;
  for (const kube::NamespacedName& role : suspects) namespaces.insert(role.ns);
  const absl::StatusOr<std::set<kube::NamespacedName>> bound =
      co_await ReadForeignlyBound(deps_.client, pass.seen, std::move(namespaces));
  if (!bound.ok()) {
    bound_[pass.seen.source].insert(suspects.begin(), suspects.end());
    co_return bound.status();
  }
  std::set<kube::NamespacedName> told;
  for (const Put& put : pass.puts) {
    const bool is_told = put.result && put.result->ok() && **put.result != PutResult::kDone;
    if (is_told) told.insert(put.role());
  }
  std::vector<Put> taken;
  for (const olm::RbacPair& pair : pass.seen.pairs) {
    for (const kube::NamespacedName& role : *bound) {
      const auto there = pass.seen.roles.find(role);
      if (role.name != pair.name || there == pass.seen.roles.end()) continue;
      if (told.contains(role) || !IsTarget(pass, role.ns) || Resists(pass, role)) continue;
      const olm::CopyOwners owners = pass.seen.OwnersIn(pair.csv.name, role.ns);
      Put put;
      put.csv = pair.csv;
      put.slot.role = olm::CopyOf(pair, olm::RbacKind::kRole, role.ns, owners);
      put.slot.role_there = &there->second;
      taken.push_back(std::move(put));
    }
  }
  const WriteCounts counts = co_await writer_.Run(
      taken.size(), [this, &pass, &taken](size_t number, kube::SendCheck may_send) {
        return TakeBackOne(pass, taken[number], std::move(may_send));
      });
  std::move(taken.begin(), taken.end(), std::back_inserter(pass.puts));
  co_return counts.ended;
}

StatusTask CopiedRbacReconciler::TakeBackOne(Pass& pass, Put& put, kube::SendCheck may_send) {
  kube::SendCheck recent = Recent(pass, kGoodForPuts, std::move(may_send));
  put.result = co_await copies_.TakeBack(put.slot, std::move(recent));
  if (put.result->ok() && **put.result == PutResult::kDone) {
    put.result = PutResult::kForeignBinding;
  }
  co_return put.result->status();
}

StatusTask CopiedRbacReconciler::Lift(Pass& pass) {
  const bool lift = pass.seen.IsForAll();
  if (!lift && pass.seen.LeavesAll()) co_return absl::OkStatus();
  std::set<std::string> left = pass.seen.unread;
  for (const olm::RbacPair& pair : pass.seen.pairs) {
    if (Resists(pass, {"", pair.name})) left.insert(pair.name);
  }
  CO_ASSIGN_OR_RETURN(LiftedPlan plan, co_await PlanLifted(deps_.client, pass.seen.source,
                                                           pass.seen.pairs, lift, left));
  pass.lifts_wait = plan.waits;
  co_return co_await LiftAll(pass, std::move(plan.writes));
}

StatusTask CopiedRbacReconciler::LiftAll(Pass& pass, std::vector<LiftedWrite> writes) {
  // Send the writes of one kind together, but deletions apart from them.
  while (!writes.empty()) {
    const kube::GroupVersionResource gvr = writes.front().gvr;
    const bool deletes = writes.front().object.is_null();
    const auto next =
        std::find_if(writes.begin(), writes.end(), [&gvr, deletes](const LiftedWrite& write) {
          return write.gvr != gvr || write.object.is_null() != deletes;
        });
    std::vector<LiftedWrite> some(std::make_move_iterator(writes.begin()),
                                  std::make_move_iterator(next));
    writes.erase(writes.begin(), next);
    CO_RETURN_IF_ERROR(co_await LiftSome(pass, std::move(some)));
  }
  co_return absl::OkStatus();
}

StatusTask CopiedRbacReconciler::LiftSome(Pass& pass, std::vector<LiftedWrite> writes) {
  const WriteCounts counts = co_await writer_.Run(
      writes.size(), [this, &pass, &writes](size_t number, kube::SendCheck may_send) {
        return LiftOne(pass, writes[number], std::move(may_send));
      });
  co_return counts.ended;
}

StatusTask CopiedRbacReconciler::LiftOne(Pass& pass, const LiftedWrite& write,
                                         kube::SendCheck may_send) {
  kube::SendCheck recent = Recent(pass, kGoodForRemovals, std::move(may_send));
  const absl::StatusOr<PutResult> done =
      co_await WriteLifted(deps_.client, write, std::move(recent));
  if (!done.ok()) {
    pass.failure.Update(done.status());
    co_return done.status();
  }
  if (*done == PutResult::kForeignRole) {
    ++pass.foreign;
    Tell(pass, write.csv, "CopiedRbacForeign",
         StrCat("The Role ", write.name,
                " is not lifted into the cluster: a ClusterRole or ClusterRoleBinding of its name "
                "is there that was not lifted"));
    co_return absl::OkStatus();
  }
  (write.object.is_null() ? metrics_.deleted : metrics_.created).Increment();
  if (*done == PutResult::kNotObeyed && NoteResistance(pass, {"", write.name})) {
    Tell(pass, write.csv, "CopiedRbacNotKept",
         StrCat("The Role ", write.name,
                " is not lifted into the cluster as it is: something changes the ",
                write.gvr.resource, " on the way. It is tried again ever more rarely"));
  }
  co_return absl::OkStatus();
}

bool CopiedRbacReconciler::Resists(Pass& pass, const kube::NamespacedName& object) const {
  const std::optional<absl::Duration> due = resistance_.DueOf(pass.seen.source, object);
  if (!due) return false;
  pass.resisted.insert(object);
  if (*due <= deps_.clock.Monotonic()) return false;
  pass.Due(*due);
  return true;
}

bool CopiedRbacReconciler::NoteResistance(Pass& pass, const kube::NamespacedName& object) {
  absl::Duration due;
  const bool first = resistance_.Note(pass.seen.source, object, &due);
  pass.resisted.insert(object);
  pass.Due(due);
  return first;
}

void CopiedRbacReconciler::TellTooLarge(Pass& pass) {
  std::set<std::string> told;
  if (const auto it = told_too_large_.find(pass.seen.source); it != told_too_large_.end()) {
    told = std::move(it->second);
    told_too_large_.erase(it);
  }
  for (const auto& [name, csv] : pass.seen.too_large) {
    told_too_large_[pass.seen.source].insert(name);
    if (told.contains(name)) continue;
    Tell(pass, {pass.seen.source, csv}, "CopiedRbacTooLarge",
         StrCat("The Role ", name, " or its RoleBinding is too large to be copied"));
  }
}

absl::Status CopiedRbacReconciler::Conclude(Pass& pass) {
  std::set<kube::NamespacedName> failed;
  for (const Put& put : pass.puts) {
    if (!put.result) continue;
    const absl::Status& status = put.result->status();
    if (status.ok()) {
      const PutResult result = **put.result;
      if (result == PutResult::kStale) {
        pass.stale = true;
        failed.insert(put.role());
      }
      if (result == PutResult::kNotObeyed) {
        failed.insert(put.role());
        if (!NoteResistance(pass, put.role())) continue;
        Tell(
            pass, put.csv, "CopiedRbacNotKept",
            StrCat("The Role ", put.role().name, " or its RoleBinding in namespace ", put.role().ns,
                   " does not stay as it is copied: something changes it on the "
                   "way. It is tried again ever more rarely"));
        continue;
      }
      if (result == PutResult::kDone) pass.resisted.erase(put.role());
      if (result != PutResult::kForeignRole && result != PutResult::kForeignBinding) continue;
      ++pass.foreign;
      const std::string_view kind = olm::NameOf(
          result == PutResult::kForeignRole ? olm::RbacKind::kRole : olm::RbacKind::kRoleBinding);
      Tell(pass, put.csv, "CopiedRbacForeign",
           StrCat("The Role ", put.role().name, " is not copied to namespace ", put.role().ns,
                  ": a ", kind, " of this name or for it is there that is no copy"));
      continue;
    }
    failed.insert(put.role());
    if (NamespaceEnds(status)) continue;
    pass.failure.Update(status);
    if (OutcomeOf(status) != WriteOutcome::kRefused) continue;
    Tell(pass, put.csv, "CopiedRbacFailed",
         StrCat("The Role ", put.role().name, " is not copied to namespace ", put.role().ns, ": ",
                ToStd(status.message())));
  }
  if (failed.empty()) {
    failed_.erase(pass.seen.source);
  } else {
    failed_[pass.seen.source] = std::move(failed);
  }
  return pass.failure;
}

void CopiedRbacReconciler::Tell(Pass& pass, const kube::NamespacedName& csv,
                                std::string_view reason, const std::string& message) {
  deps_.events.Record({olm::kCsvKind, csv, pass.seen.csv_uids[csv.name]}, EventType::kWarning,
                      reason, message);
}

}  // namespace steward::controllers
