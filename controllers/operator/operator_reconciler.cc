#include "controllers/operator/operator_reconciler.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "absl/time/time.h"
#include "base/async/race.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/world_changes.h"
#include "olm/objects.h"
#include "olm/operator/component.h"
#include "olm/operator/component_label.h"
#include "storage/operators/operator_world.h"
#include "storage/reflector/reflector.h"

namespace steward::controllers {
namespace {

using storage::OperatorWorld;

// Each wait ends after this time, and then starts over.
constexpr std::chrono::hours kPatience(1);
// The interval of retries for a kind of component that the cluster lacks.
constexpr absl::Duration kAbsentPoll = absl::Seconds(30);
// The limit of a page, because metadata may be as large as a whole object.
constexpr size_t kPageBytes = size_t{8} << 20;

}  // namespace

OperatorReconciler::OperatorReconciler(const ReconcilerDeps& deps, OperatorMetrics& metrics,
                                       const OperatorFlags& flags)
    : deps_(deps),
      index_(
          WatchedKinds(flags.secrets),
          [this](const ComponentId& id, const olm::Component* before, const olm::Component* after) {
            OnChange(id, before, after);
          },
          [this] { OnListed(); }),
      adoption_(deps, index_, metrics),
      writer_(deps, index_, metrics) {}

VoidTask OperatorReconciler::Feed(WorkQueue& queue) {
  queue_ = &queue;
  OnWorldChange changed = [this](const storage::World& world,
                                 const storage::TouchedOperators* touched) {
    TakeWorld(world, touched);
  };
  VoidTask all = FollowWorlds(deps_.worlds, std::move(changed));
  for (size_t kind = kCsvKindAt + 1; kind < index_.kinds().size(); ++kind) {
    all = UntilOneEnds(std::move(all), Follow(kind));
  }
  co_await std::move(all);
}

VoidTask OperatorReconciler::Follow(size_t kind) {
  while (kind >= kFirstOfNeeded && !needed_) {
    co_await needs_.WaitSince(needs_.Now(), std::chrono::steady_clock::now() + kPatience);
  }
  storage::ReflectorOptions options;
  options.gvr = index_.kinds()[kind].gvr;
  options.label_selector = index_.kinds()[kind].selector;
  // Read whole Subscriptions, because the ClusterServiceVersion that one installs is not in its
  // metadata.
  options.metadata_only = kind != kSubscriptionKindAt;
  options.page_bytes = kPageBytes;
  options.may_be_absent = true;
  if (kind >= kFirstOfNeeded) options.absent_poll = kAbsentPoll;
  storage::Reflector reflector(deps_.client, deps_.clock, deps_.random, options,
                               index_.SinkOf(kind));
  co_await reflector.Run();
}

void OperatorReconciler::TakeWorld(const storage::World& world,
                                   const storage::TouchedOperators* touched) {
  std::set<kube::NamespacedName> names;
  if (touched != nullptr) {
    names = touched->csvs;
  } else {
    for (const kube::NamespacedName& name : index_.NamesOf(kCsvKindAt)) names.insert(name);
    const auto& csvs = OperatorWorld::Of(world).csvs();
    for (auto it = csvs.begin(); !it.done(); it.Next()) names.insert(it.key());
  }
  for (const kube::NamespacedName& name : names) TakeCsv(world, name);
  world_taken_ = true;
  OnListed();
}

void OperatorReconciler::TakeCsv(const storage::World& world, const kube::NamespacedName& name) {
  const olm::CsvPtr* csv = OperatorWorld::Of(world).csvs().Find(name);
  if (csv == nullptr || (*csv)->copied) {
    index_.Put({kCsvKindAt, name}, std::nullopt);
    return;
  }
  ComponentIndex::Object object;
  object.component.key = name;
  object.component.uid = (*csv)->uid;
  for (const auto& [label, value] : (*csv)->component_labels) object.component.AddLabel(label);
  index_.Put({kCsvKindAt, name}, std::move(object));
}

void OperatorReconciler::OnChange(const ComponentId& id, const olm::Component* before,
                                  const olm::Component* after) {
  const bool operators = id.kind != kDefinitionKindAt || (after && !after->operators.empty());
  if (!needed_ && after != nullptr && id.kind < kFirstOfNeeded && operators) {
    needed_ = true;
    feeding_ = false;
    needs_.Notify();
  }
  ReportTooManyOperators(id, before, after);
  if (!feeding_) return;
  if (before != nullptr) AddKeysOf(id, *before);
  if (after != nullptr) AddKeysOf(id, *after);
}

void OperatorReconciler::ReportTooManyOperators(const ComponentId& id, const olm::Component* before,
                                                const olm::Component* after) {
  const WatchedKind& kind = index_.kinds()[id.kind];
  if (!kind.component || after == nullptr || !after->more_operators) return;
  if (before != nullptr && before->uid == after->uid && before->more_operators) return;
  deps_.events.Record(
      {kind.gvk, id.name, after->uid}, EventType::kWarning, "TooManyOperators",
      StrCat("It bears more than ", olm::kMaxOperatorsOfOne, " labels ", olm::kComponentLabelPrefix,
             "NAME: it is a component of the Operators that are first by name, and of no others"));
}

void OperatorReconciler::AddKeysOf(const ComponentId& id, const olm::Component& component) {
  if (index_.kinds()[id.kind].component) {
    for (const std::string& name : component.operators) queue_->Add({"", name});
    for (const olm::CsvOwner& owner : component.owners) queue_->Add(owner.csv);
  }
  switch (id.kind) {
    case kOperatorKindAt:
    case kCsvKindAt:
    case kCopyKindAt:
      queue_->Add(id.name);
      break;
    case kSubscriptionKindAt:
      queue_->Add({id.name.ns, ""});
      for (const Key& csv : index_.NamesOf(kCsvKindAt, id.name.ns)) queue_->Add(csv);
      break;
    case kInstallPlanKindAt:
      queue_->Add({id.name.ns, ""});
      break;
    case kDefinitionKindAt: {
      const auto world = OperatorWorld::Of(deps_.worlds.Current());
      for (auto it = world->csvs().begin(); !it.done(); it.Next()) {
        const olm::Csv& csv = *it.value();
        if (csv.cleanup == nullptr || !csv.cleanup->facts.owned_crds.contains(id.name.name)) {
          continue;
        }
        queue_->Add(it.key());
      }
      break;
    }
    default:
      break;
  }
}

absl::Status OperatorReconciler::Listed() const {
  if (!world_taken_) return absl::UnavailableError("ClusterServiceVersions have not been listed");
  for (size_t kind = kCsvKindAt + 1; kind < index_.kinds().size(); ++kind) {
    if (index_.listed(kind) || (kind >= kFirstOfNeeded && !needed_)) continue;
    return absl::UnavailableError(
        StrCat(index_.kinds()[kind].gvr.GroupResource(), " have not been listed"));
  }
  return absl::OkStatus();
}

void OperatorReconciler::OnListed() {
  if (feeding_ || !Listed().ok()) return;
  feeding_ = true;
  for (const std::string& name : index_.OperatorNames()) queue_->Add({"", name});
  for (const size_t kind : {kCsvKindAt, kOperatorKindAt, kCopyKindAt}) {
    for (const Key& name : index_.NamesOf(kind)) queue_->Add(name);
  }
  for (const Key& name : index_.NamesOf(kSubscriptionKindAt)) queue_->Add({name.ns, ""});
}

Task<ReconcileResult> OperatorReconciler::Reconcile(Key key) {
  // Retry until all kinds have been listed. Then every key is added again.
  const absl::Status listed = Listed();
  if (!listed.ok()) co_return listed;
  if (key.ns.empty()) co_return co_await writer_.Reconcile(key.name);
  if (key.name.empty()) {
    CO_RETURN_IF_ERROR(co_await adoption_.AdoptInNamespace(key.ns));
  } else {
    CO_RETURN_IF_ERROR(co_await adoption_.AdoptOf(key));
  }
  co_return ReconcileResult::Done();
}

}  // namespace steward::controllers
