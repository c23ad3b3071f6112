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
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/families.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/world_changes.h"
#include "controllers/runtime/write_outcome.h"
#include "kube/meta/errors.h"
#include "kube/meta/resources.h"
#include "kube/meta/status.h"
#include "olm/copied_rbac/rbac_copy.h"
#include "olm/copied_rbac/rbac_object.h"
#include "olm/copy.h"
#include "olm/decode.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace {

using storage::OperatorWorld;

// The wait while the World is not known.
constexpr absl::Duration kUnknownWait = absl::Milliseconds(500);
// Events are gathered for this long: most of them tell of this process's own writes.
constexpr absl::Duration kEventWait = absl::Milliseconds(100);
// A snapshot that is older proves nothing any more.
constexpr absl::Duration kGoodFor = absl::Seconds(10);
// Objects in the way are not watched.
constexpr absl::Duration kForeignWait = absl::Seconds(30);
// Owners come by a watch; this is for those that are out of its sight.
constexpr absl::Duration kOwnerWait = absl::Seconds(5);
constexpr size_t kWorkers = 2;

struct CopiedRbacFlags {
  int concurrent_writes = 16;
};

// True if the namespace is going or gone, which the World is about to say.
bool NamespaceEnds(const absl::Status& failure) {
  const kube::Status answer = kube::FromStatus(failure);
  if (kube::HasReason(failure, "NotFound")) return answer.kind == "namespaces";
  return std::any_of(answer.causes.begin(), answer.causes.end(),
                     [](const kube::StatusCause& c) { return c.reason == "NamespaceTerminating"; });
}

MetadataSelection Selection(const kube::GroupVersionResource& gvr, std::string selector) {
  MetadataSelection selection;
  selection.gvr = gvr;
  selection.label_selector = std::move(selector);
  return selection;
}

}  // namespace

struct CopiedRbacReconciler::Action {
  RbacSlot slot;                            // when `remove` is null
  kube::NamespacedName csv;                 // the original, likewise
  const olm::StoredRbac* remove = nullptr;  // a copy that shall not be there
  bool widens = false;
  std::optional<absl::StatusOr<PutResult>> result;

  kube::NamespacedName role() const { return slot.role.key; }
};

struct CopiedRbacReconciler::Pass {
  storage::OperatorWorldPtr world;
  RbacSnapshot seen;
  std::vector<Action> actions;
  std::set<kube::NamespacedName> foreignly_bound;  // Roles
  bool stale = false;
  bool lacks_owners = false;
  size_t foreign = 0;
};

CopiedRbacReconciler::CopiedRbacReconciler(const ReconcilerDeps& deps, CopiedRbacMetrics& metrics,
                                           ParallelWriterOptions options)
    : deps_(deps),
      metrics_(metrics),
      copies_(deps.client, metrics),
      writer_(deps.leadership, deps.clock, options),
      roles_(
          deps, olm::RbacKind::kRole,
          {[this](const std::string& source) { Add(source, kEventWait); }, [this] { AddAll(); }}),
      bindings_(
          deps, olm::RbacKind::kRoleBinding,
          {[this](const std::string& source) { Add(source, kEventWait); }, [this] { AddAll(); }}) {}

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
  // That an original is being deleted, or gone. Worlds do not tell the former.
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

void CopiedRbacReconciler::AddAll() {
  const auto add = [this](const std::string& source) { Add(source); };
  roles_.ForEachSource(add);
  bindings_.ForEachSource(add);
  const storage::OperatorWorldPtr world = OperatorWorld::Of(deps_.worlds.Current());
  for (auto it = world->csvs().begin(); !it.done(); it.Next()) Add(it.key().ns);
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
  // A namespace that is selected no more is in no list of targets.
  for (const std::string& install : world.selecting_installs()) Add(install);
}

void CopiedRbacReconciler::NoteCopiedCsv(const kube::NamespacedName& copy) {
  const storage::OperatorWorldPtr world = OperatorWorld::Of(deps_.worlds.Current());
  for (const std::string& install : world->InstallsTargeting(copy.ns)) {
    if (world->csvs().Find({install, copy.name}) != nullptr) Add(install, kEventWait);
  }
}

Task<ReconcileResult> CopiedRbacReconciler::Reconcile(Key key) {
  Pass pass;
  pass.world = OperatorWorld::Of(deps_.worlds.Current());
  if (!pass.world->synced()) co_return ReconcileResult::After(kUnknownWait);
  CO_ASSIGN_OR_RETURN(pass.seen, co_await ReadRbacSnapshot(deps_.client, deps_.clock, key.name));
  for (auto it = components_.begin(); it != components_.end();) {
    it->second.erase(key.name);
    it = it->second.empty() ? components_.erase(it) : std::next(it);
  }
  for (const auto& [csv, name] : pass.seen.operators) components_[name].insert(key.name);
  Plan(pass);
  CO_RETURN_IF_ERROR(co_await PlanRemovals(pass));
  CO_RETURN_IF_ERROR(co_await LookForForeignBindings(pass));
  const WriteCounts counts = co_await writer_.Run(
      pass.actions.size(), [this, &pass](size_t number, kube::SendCheck may_send) {
        return Act(pass, pass.actions[number], std::move(may_send));
      });
  CO_RETURN_IF_ERROR(co_await TakeBack(pass));
  const absl::Status concluded = Conclude(pass);
  metrics_.SetForeign(key.name, pass.foreign);
  CO_RETURN_IF_ERROR(counts.ended);
  CO_RETURN_IF_ERROR(concluded);
  if (pass.stale) co_return ReconcileResult::After(kEventWait);
  if (pass.lacks_owners) co_return ReconcileResult::After(kOwnerWait);
  if (pass.foreign > 0) co_return ReconcileResult::After(kForeignWait);
  co_return ReconcileResult::Done();
}

void CopiedRbacReconciler::Plan(Pass& pass) {
  if (!pass.seen.IsExplicit()) return;
  for (auto it = pass.world->namespaces().begin(); !it.done(); it.Next()) {
    const olm::Namespace& ns = *it.value();
    if (!ns.terminating && pass.seen.Targets(ns.name, ns.labels)) PlanNamespace(pass, ns);
  }
}

void CopiedRbacReconciler::PlanNamespace(Pass& pass, const olm::Namespace& ns) {
  const auto find = [](const StoredCopies& copies, const kube::NamespacedName& key) {
    const auto it = copies.find(key);
    return it == copies.end() ? nullptr : &it->second;
  };
  for (const olm::RbacPair& pair : pass.seen.pairs) {
    const olm::CopyOwners owners = pass.seen.OwnersIn(pair.csv.name, ns.name);
    Action action;
    action.csv = pair.csv;
    action.slot.role = olm::CopyOf(pair, olm::RbacKind::kRole, ns.name, owners);
    action.slot.binding = olm::CopyOf(pair, olm::RbacKind::kRoleBinding, ns.name, owners);
    action.slot.role_there = find(pass.seen.roles, action.role());
    action.slot.binding_there = find(pass.seen.bindings, action.role());
    if (action.slot.IsRight()) continue;
    const bool absent = action.slot.role_there == nullptr && action.slot.binding_there == nullptr;
    if (absent && action.slot.role.owners.empty()) {
      // Its copied ClusterServiceVersion and its Operator are being made.
      pass.lacks_owners = true;
      continue;
    }
    action.widens = action.slot.Widens();
    pass.actions.push_back(std::move(action));
  }
}

Task<bool> CopiedRbacReconciler::IsTargetNow(const Pass& pass, std::string ns) {
  if (!pass.seen.IsExplicit()) co_return pass.seen.LeavesAll();
  if (!pass.seen.SelectsByLabel()) co_return pass.seen.Targets(ns, {});
  const kube::NamespacedName key{"", ns};
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(kube::kNamespaces, key);
  // A copy that is still there goes with it.
  if (kube::IsNotFound(raw.status(), ns)) co_return true;
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::NamespacePtr read, olm::DecodeNamespace(raw->json));
  co_return pass.seen.Targets(ns, read->labels);
}

StatusTask CopiedRbacReconciler::PlanRemovals(Pass& pass) {
  std::set<std::string> wanted;
  for (const olm::RbacPair& pair : pass.seen.pairs) wanted.insert(pair.name);
  std::map<std::string, bool> targets;  // as read now
  for (const StoredCopies* copies : {&pass.seen.roles, &pass.seen.bindings}) {
    for (const auto& [key, copy] : *copies) {
      if (wanted.contains(key.name)) {
        const auto [it, unread] = targets.try_emplace(key.ns, false);
        const olm::NamespacePtr* known = pass.world->namespaces().Find(key.ns);
        if (unread && known != nullptr) it->second = pass.seen.Targets(key.ns, (*known)->labels);
        if (unread && !it->second) {
          CO_ASSIGN_OR_RETURN(it->second, co_await IsTargetNow(pass, key.ns));
        }
        if (it->second) continue;
      }
      if (copy.facts.deleting() && olm::GrantsNothing(copy)) continue;
      Action action;
      action.remove = &copy;
      pass.actions.push_back(std::move(action));
    }
  }
  co_return absl::OkStatus();
}

StatusTask CopiedRbacReconciler::LookForForeignBindings(Pass& pass) {
  std::set<std::string> namespaces;
  for (const Action& action : pass.actions) {
    if (action.remove == nullptr && action.widens) namespaces.insert(action.role().ns);
  }
  if (namespaces.empty()) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(pass.foreignly_bound,
                      co_await ReadForeignlyBound(deps_.client, pass.seen.source, namespaces));
  co_return absl::OkStatus();
}

StatusTask CopiedRbacReconciler::Act(Pass& pass, Action& action, kube::SendCheck may_send) {
  const auto is_fresh = [read_at = pass.seen.read_at, &clock = deps_.clock] {
    return clock.Monotonic() - read_at <= kGoodFor;
  };
  if (!is_fresh()) {
    action.result = PutResult::kStale;
    co_return absl::OkStatus();
  }
  kube::SendCheck fresh = [may_send = std::move(may_send), is_fresh]() -> absl::Status {
    if (!is_fresh()) return absl::AbortedError("the reading that this write stands on is too old");
    return kube::MaySend(may_send);
  };
  if (action.remove != nullptr) {
    const absl::StatusOr<bool> removed = co_await copies_.Remove(*action.remove, std::move(fresh));
    if (removed.ok()) {
      action.result = *removed ? PutResult::kDone : PutResult::kStale;
    } else {
      action.result = removed.status();
    }
  } else if (action.widens && pass.foreignly_bound.contains(action.role())) {
    action.result = co_await copies_.Narrow(action.slot, std::move(fresh));
  } else {
    action.result = co_await copies_.Put(action.slot, std::move(fresh));
  }
  co_return action.result->status();
}

// Looks again at the Roles that were given something, and takes it back where somebody has made a
// binding meanwhile.
StatusTask CopiedRbacReconciler::TakeBack(Pass& pass) {
  std::map<kube::NamespacedName, Action*> given;
  std::set<std::string> namespaces;
  for (Action& action : pass.actions) {
    const bool refused = action.result && action.result->ok() &&
                         (**action.result == PutResult::kForeignRole ||
                          pass.foreignly_bound.contains(action.role()));
    if (action.remove != nullptr || !action.widens || !action.result || refused) continue;
    given[action.role()] = &action;
    namespaces.insert(action.role().ns);
  }
  if (given.empty()) co_return absl::OkStatus();
  CO_ASSIGN_OR_RETURN(
      const std::set<kube::NamespacedName> bound,
      co_await ReadForeignlyBound(deps_.client, pass.seen.source, std::move(namespaces)));
  for (const auto& [role, action] : given) {
    if (!bound.contains(role)) continue;
    const kube::SendCheck may_send = [this] { return deps_.leadership.Check(); };
    CO_ASSIGN_OR_RETURN(const bool current,
                        co_await copies_.Empty(role, pass.seen.source, may_send));
    if (!current) pass.stale = true;
    action->result = PutResult::kForeignBinding;
  }
  co_return absl::OkStatus();
}

absl::Status CopiedRbacReconciler::Conclude(Pass& pass) {
  absl::Status first;
  for (const Action& action : pass.actions) {
    if (!action.result) continue;
    const absl::Status& status = action.result->status();
    if (status.ok()) {
      const PutResult result = **action.result;
      if (result == PutResult::kStale) pass.stale = true;
      if (result != PutResult::kForeignRole && result != PutResult::kForeignBinding) continue;
      ++pass.foreign;
      const std::string_view kind = olm::NameOf(
          result == PutResult::kForeignRole ? olm::RbacKind::kRole : olm::RbacKind::kRoleBinding);
      Tell(pass, action, "CopiedRbacForeign",
           StrCat("The Role ", action.role().name, " is not copied to namespace ", action.role().ns,
                  ": a ", kind, " of this name or for it is there that is no copy"));
      continue;
    }
    if (NamespaceEnds(status)) continue;
    first.Update(status);
    if (OutcomeOf(status) != WriteOutcome::kRefused || action.remove != nullptr) continue;
    Tell(pass, action, "CopiedRbacFailed",
         StrCat("The Role ", action.role().name, " is not copied to namespace ", action.role().ns,
                ": ", ToStd(status.message())));
  }
  return first;
}

void CopiedRbacReconciler::Tell(Pass& pass, const Action& action, std::string_view reason,
                                const std::string& message) {
  deps_.events.Record({olm::kCsvKind, action.csv, pass.seen.csv_uids[action.csv.name]},
                      EventType::kWarning, reason, message);
}

KnownReconciler KnownCopiedRbac() {
  KnownReconciler known;
  known.options.name = "copied-rbac";
  known.options.workers = kWorkers;
  known.options.limits.initial = absl::Seconds(1);
  // Access ends within a minute of its reason.
  known.options.limits.max = absl::Seconds(10);
  known.family = kOperatorsFamily;
  known.conflicts_with = {PeerOperator::kOlmOperator};
  known.add_flags = [](FlagAdder& adder, FlagValues& values) {
    adder.Number("--concurrent-copied-rbac-writes", values.Of<CopiedRbacFlags>().concurrent_writes,
                 1, 64,
                 "Copies of Roles and RoleBindings of one namespace that are written at a time, "
                 "unless the kube-apiserver asks for less");
  };
  known.prepare = [](const FlagValues& values,
                     prometheus::Registry& registry) -> ReconcilerFactory {
    ParallelWriterOptions options;
    options.width = static_cast<size_t>(values.Get<CopiedRbacFlags>().concurrent_writes);
    const auto metrics = std::make_shared<CopiedRbacMetrics>(registry);
    return [options, metrics](const ReconcilerDeps& deps) {
      return std::make_unique<CopiedRbacReconciler>(deps, *metrics, options);
    };
  };
  return known;
}

}  // namespace steward::controllers
