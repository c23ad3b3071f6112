#include "controllers/copied_csv/copied_csv.h"

#include <algorithm>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/async/race.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/copied_csv/source_proofs.h"
#include "controllers/copies/seen_copies.h"
#include "controllers/runtime/events/event_recorder.h"
#include "controllers/runtime/world_changes.h"
#include "controllers/runtime/write_outcome.h"
#include "olm/copy.h"
#include "olm/copy/comparison.h"
#include "olm/copy/stored_copy.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace {

using storage::OperatorWorld;

// If more slots of a name than this are marked, all its slots are checked. That costs no requests.
constexpr size_t kMaxMarks = 1000;
// The wait while the existing copies are not known yet.
constexpr absl::Duration kUnknownWait = absl::Milliseconds(500);
// Events of copies are gathered for this long, because most of them are of this process's own
// writes.
constexpr absl::Duration kCopyWait = absl::Milliseconds(100);
// A page size for copies, which have tens of kB each.
constexpr int64_t kPageSize = 200;

// With at least this many copies to change, list them instead of reading one by one.
constexpr size_t kWorthListing = 20;

// A content that no copy has; stands for slots that shall be empty.
constexpr ContentDigest kNothing = {};

storage::ReflectorOptions AllCopies() {
  storage::ReflectorOptions options;
  options.gvr = olm::kCsvs;
  options.label_selector = std::string(olm::kCopiedFromLabel);
  options.page_size = kPageSize;
  options.may_be_absent = true;
  return options;
}

absl::StatusOr<CompactIndex::Observed> Observe(const kube::RawObject& object) {
  ASSIGN_OR_RETURN(const olm::StoredCopy copy, olm::ReadStoredCopy(object.json));
  return CompactIndex::Observed{copy.key, DigestOfCopy(copy),
                                TagOfSource(copy.copied_from.value_or(""))};
}

std::string_view ReasonOf(Trouble trouble) {
  switch (trouble) {
    case Trouble::kNameTaken:
      return "CopyNameTaken";
    case Trouble::kNotKept:
      return "CopyNotKept";
    case Trouble::kContested:
      return "CopyContested";
    case Trouble::kFailed:
      return "CopyFailed";
  }
  return "";
}

}  // namespace

struct CopiedCsvReconciler::Action {
  std::string name;
  olm::NamespacePtr ns;
  const olm::Csv* source = nullptr;    // null: the slot shall be empty
  const WantedCopy* wanted = nullptr;  // null: the slot shall be empty
  SlotBelief belief;                   // by the index, or a live list
  std::optional<absl::StatusOr<SlotResult>> result;

  const ContentDigest& digest() const { return wanted == nullptr ? kNothing : wanted->digest; }
};

// A pass over slots of a name.
struct CopiedCsvReconciler::Pass {
  storage::OperatorWorldPtr world;
  std::string name;
  absl::Duration now;
  bool all = false;
  std::set<std::string> slots;

  std::vector<olm::Original> originals;
  std::map<const olm::Csv*, WantedCopy> wanted;
  std::vector<Action> actions;
  std::optional<SourceProofs> proofs;
};

CopiedCsvReconciler::CopiedCsvReconciler(const ReconcilerDeps& deps, CopiedCsvMetrics& metrics,
                                         CopyState& copy_state, const Options& options)
    : deps_(deps),
      metrics_(metrics),
      copy_state_(copy_state),
      toggle_(deps.client, deps.clock, deps.random, options.toggle),
      planned_by_(toggle_.policy()),
      copies_(deps.client),
      writer_(deps.leadership, deps.clock, options.writer),
      index_(deps.client, deps.clock, deps.random, AllCopies(),
             {.observe = Observe,
              .changed = [this](const kube::NamespacedName& copy,
                                const ContentDigest*) { NoteCopy(copy); },
              .listed =
                  [this] {
                    listed_ = true;
                    metrics_.SetCopies(index_.size());
                    for (const auto& [name, known] : names_) MarkAll(name);
                    copy_state_.NoteChange();
                  }}) {
  copy_state_.Show(this);
}

CopiedCsvReconciler::~CopiedCsvReconciler() {
  copy_state_.Show(nullptr);
  metrics_.ForgetAll();
}

VoidTask CopiedCsvReconciler::Feed(WorkQueue& queue) {
  queue_ = &queue;
  VoidTask worlds = FollowWorlds(
      deps_.worlds, [this](const storage::World& world, const storage::TouchedOperators* touched) {
        NoteWorld(world, touched);
      });
  VoidTask sources = UntilOneEnds(std::move(worlds), index_.Run());
  co_await UntilOneEnds(std::move(sources),
                        toggle_.Run({.told = [this] { NotePolicy(); }, .other = nullptr}));
}

void CopiedCsvReconciler::NotePolicy() {
  if (toggle_.policy() == planned_by_) return;
  planned_by_ = toggle_.policy();
  for (const auto& [name, known] : names_) MarkAll(name);
  copy_state_.NoteChange();
}

void CopiedCsvReconciler::NoteWorld(const storage::World& any,
                                    const storage::TouchedOperators* touched) {
  const OperatorWorld& world = OperatorWorld::Of(any);
  copy_state_.NoteChange();
  if (touched == nullptr) {
    originals_.clear();
    for (auto it = world.csvs().begin(); !it.done(); it.Next()) NoteName(world, it.key());
    // Mark the names, too, of which only copies are left.
    for (const auto& [name, known] : names_) MarkAll(name);
    return;
  }
  for (const kube::NamespacedName& csv : touched->csvs) NoteName(world, csv);
  for (const std::string& install : touched->installs) {
    for (auto it = world.csvs().LowerBound({install, ""}); !it.done() && it.key().ns == install;
         it.Next()) {
      MarkAll(it.key().name);
    }
  }
  for (const std::string& ns : touched->namespaces) {
    for (const auto& [name, known] : names_) MarkSlot(name, ns);
  }
}

void CopiedCsvReconciler::NoteName(const OperatorWorld& world, const kube::NamespacedName& csv) {
  const olm::CsvPtr* found = world.csvs().Find(csv);
  if (found != nullptr && !(*found)->copied) {
    originals_[csv.name].insert(csv.ns);
  } else if (const auto it = originals_.find(csv.name); it != originals_.end()) {
    it->second.erase(csv.ns);
    if (it->second.empty()) originals_.erase(it);
  }
  MarkAll(csv.name);
  names_[csv.name].troubles.Hasten(csv.ns);
}

void CopiedCsvReconciler::NoteCopy(const kube::NamespacedName& copy) {
  // The first list reports each copy. Marking whole names is enough then.
  if (!listed_) return MarkAll(copy.name);
  copy_state_.NoteChange();
  metrics_.SetCopies(index_.size());
  MarkSlot(copy.name, copy.ns, kCopyWait);
  names_[copy.name].troubles.Hasten(copy.ns);
}

void CopiedCsvReconciler::MarkAll(const std::string& name) {
  Name& known = names_[name];
  known.all = true;
  known.slots.clear();
  queue_->Add({"", name});
}

void CopiedCsvReconciler::MarkSlot(const std::string& name, const std::string& ns,
                                   absl::Duration wait) {
  Name& known = names_[name];
  if (!known.all) known.slots.insert(ns);
  if (known.slots.size() > kMaxMarks) {
    known.all = true;
    known.slots.clear();
  }
  queue_->AddAfter({"", name}, wait);
}

ContentDigest CopiedCsvReconciler::DigestFor(Name& name, const olm::CsvPtr& original) {
  auto& [seen, digest] = name.digests[original->key.ns];
  if (seen != original) digest = WantedCopy(*original).digest;
  seen = original;
  return digest;
}

std::vector<olm::Original> CopiedCsvReconciler::OriginalsOf(const OperatorWorld& world,
                                                            const std::string& name) const {
  const auto installs = originals_.find(name);
  if (installs == originals_.end()) return {};
  return OriginalsIn(world, name, installs->second);
}

bool CopiedCsvReconciler::Knows() const {
  return listed_ && index_.health().ok() && deps_.worlds.Current()->synced();
}

std::vector<std::string> CopiedCsvReconciler::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, known] : names_) names.push_back(name);
  return names;
}

olm::CopyCounts CopiedCsvReconciler::Count(const std::string& name) const {
  const storage::OperatorWorldPtr world = OperatorWorld::Of(deps_.worlds.Current());
  olm::CopyCounts counts;
  CompareSlots(*world, index_, name, OriginalsOf(*world, name), toggle_.policy(),
               [&counts](const olm::Namespace&, const olm::ComparedSlot& slot) {
                 counts.Add(slot.finding);
               });
  return counts;
}

void CopiedCsvReconciler::Plan(Pass& pass, Name& name) {
  const OperatorWorld& world = *pass.world;
  pass.originals = OriginalsOf(world, pass.name);
  for (const olm::Original& original : pass.originals) {
    const std::string& install = original.csv->key.ns;
    const ContentDigest digest = DigestFor(name, *world.csvs().Find(original.csv->key));
    // The original's content has changed, so a copy that differs was not changed by somebody else.
    if (const auto last = name.settled.find(install);
        last != name.settled.end() && last->second != digest) {
      name.settled.erase(last);
    }
  }
  const auto is_gone = [&pass](const auto& entry) {
    return std::none_of(pass.originals.begin(), pass.originals.end(),
                        [&entry](const auto& o) { return o.csv->key.ns == entry.first; });
  };
  std::erase_if(name.digests, is_gone);
  std::erase_if(name.settled, is_gone);
  if (pass.originals.size() < 2) name.refused.clear();
  if (!pass.all) {
    for (const std::string& ns : pass.slots) {
      const olm::NamespacePtr* found = world.namespaces().Find(ns);
      if (found == nullptr) {
        name.troubles.Forget(ns);
      } else {
        PlanSlot(pass, name, *found);
      }
    }
    return;
  }
  name.troubles.Retain(
      [&world](const std::string& ns) { return world.namespaces().Find(ns) != nullptr; });
  for (auto it = world.namespaces().begin(); !it.done(); it.Next()) {
    PlanSlot(pass, name, it.value());
  }
}

void CopiedCsvReconciler::PlanSlot(Pass& pass, Name& name, const olm::NamespacePtr& ns) {
  const kube::NamespacedName key{ns->name, pass.name};
  const olm::CsvPtr* taker = pass.world->csvs().Find(key);
  const olm::SeenSlot seen = SeeSlot(*pass.world, index_, key, pass.originals);
  const olm::SlotContent content = {.taken = seen.taken,
                                    .copy_of = seen.copied == nullptr ? nullptr : seen.copied->csv};
  const olm::Slot slot = olm::SlotIn(*ns, pass.originals, content, toggle_.policy());
  if (taker != nullptr && !slot.refused.empty()) return NoteTaken(pass, name, slot, *ns, **taker);
  for (const olm::Csv* refused : slot.refused) {
    if (slot.source == nullptr) continue;
    if (!name.refused.emplace(refused->uid, slot.source->uid).second) continue;
    Tell(refused->key, refused->uid, Trouble::kNameTaken,
         StrCat("Another operator of this name, installed in namespace ", slot.source->key.ns,
                ", is copied instead wherever both work"));
  }
  const ContentDigest* have = index_.Find(key);
  if (slot.kind == olm::Slot::Kind::kAsIs ||
      (slot.kind == olm::Slot::Kind::kEmpty && have == nullptr)) {
    name.troubles.Settle(ns->name);
    return;
  }
  Action action{.name = pass.name, .ns = ns, .source = slot.source};
  action.belief.absent = have == nullptr;
  const ContentDigest digest =
      slot.source == nullptr ? kNothing : name.digests.at(slot.source->key.ns).second;
  if (have != nullptr && *have == digest) {
    name.troubles.Settle(ns->name);
    return;
  }
  if (name.troubles.Waits(ns->name, digest, pass.now)) return;
  if (slot.source != nullptr) {
    action.wanted = &pass.wanted.try_emplace(slot.source, *slot.source).first->second;
  }
  pass.actions.push_back(std::move(action));
}

void CopiedCsvReconciler::NoteTaken(Pass& pass, Name& name, const olm::Slot& slot,
                                    const olm::Namespace& ns, const olm::Csv& taker) {
  const olm::Csv& first = *slot.refused.front();
  const ContentDigest& digest = name.digests.at(first.key.ns).second;
  if (!name.troubles.Note(ns.name, Trouble::kNameTaken, digest, pass.now)) return;
  for (const olm::Csv* refused : slot.refused) {
    Tell(refused->key, refused->uid, Trouble::kNameTaken,
         StrCat("Not copied to namespace ", ns.name,
                ": it has a ClusterServiceVersion of this name that is no copy"));
  }
  Tell(taker.key, taker.uid, Trouble::kNameTaken,
       StrCat("The operator installed in namespace ", first.key.ns,
              " is not copied here, as this ClusterServiceVersion has its name"));
}

Task<ReconcileResult> CopiedCsvReconciler::Reconcile(Key key) {
  const auto found = names_.find(key.name);
  if (found == names_.end()) co_return ReconcileResult::Done();
  Name& name = found->second;
  Pass pass;
  pass.world = OperatorWorld::Of(deps_.worlds.Current());
  if (!index_.health().ok() || !pass.world->synced()) {
    co_return ReconcileResult::After(kUnknownWait);
  }
  pass.name = key.name;
  pass.now = deps_.clock.Monotonic();
  pass.all = std::exchange(name.all, false);
  pass.slots = std::exchange(name.slots, {});
  const auto mark = [&pass](const std::string& ns) { pass.slots.insert(ns); };
  pass.all = name.troubles.TakeDue(pass.now, mark) || pass.all;
  Plan(pass, name);
  pass.proofs.emplace(deps_.client, toggle_, deps_.clock, pass.name);
  const absl::Status ended = co_await RunAll(pass);
  pass.now = deps_.clock.Monotonic();
  Conclude(pass, name);
  if (pass.all && ended.ok()) {
    for (const auto& [ns, known] : name.digests) name.settled[ns] = known.second;
  }
  CO_RETURN_IF_ERROR(ended);
  if (const std::optional<absl::Duration> due = name.troubles.NextDue()) {
    co_return ReconcileResult::After(std::max(*due - pass.now, absl::ZeroDuration()));
  }
  // Forget a name without marks, troubles and originals.
  if (!name.all && name.slots.empty() && name.troubles.empty() && name.digests.empty()) {
    names_.erase(found);
  }
  co_return ReconcileResult::Done();
}

StatusTask CopiedCsvReconciler::Act(Pass& pass, Action& action, kube::SendCheck may_send) {
  action.result.reset();
  // Use `seen` once: if the server asks to send the write again (429), the object is read again.
  SlotBelief belief = action.belief;
  action.belief.seen.reset();
  if (action.wanted != nullptr) {
    action.result = co_await copies_.Write(*action.wanted, action.ns->name, std::move(belief),
                                           std::move(may_send));
  } else {
    action.result = co_await copies_.Remove(pass.name, action.ns, std::move(belief), *pass.proofs,
                                            std::move(may_send));
  }
  co_return action.result->status();
}

StatusTask CopiedCsvReconciler::Run(Pass& pass, std::vector<Action*> actions) {
  const WriteCounts counts = co_await writer_.Run(
      actions.size(), [this, &pass, &actions](size_t number, kube::SendCheck may_send) {
        return Act(pass, *actions[number], std::move(may_send));
      });
  co_return counts.ended;
}

StatusTask CopiedCsvReconciler::RunListed(Pass& pass) {
  std::map<std::string, Action*> there;
  for (Action& action : pass.actions) {
    if (!action.belief.absent) there[action.ns->name] = &action;
  }
  kube::ListOptions options;
  options.label_selector = std::string(olm::kCopiedFromLabel);
  options.field_selector = StrCat("metadata.name=", pass.name);
  options.limit = kPageSize;
  while (there.size() >= kWorthListing) {
    const absl::StatusOr<kube::ListPage> page = co_await deps_.client.List(olm::kCsvs, options);
    // If the list fails, the other copies are read one by one.
    if (!page.ok()) break;
    std::vector<Action*> listed;
    for (const kube::RawObject& object : page->items) {
      const absl::StatusOr<olm::StoredCopy> copy = olm::ReadStoredCopy(object.json);
      const auto it = copy.ok() ? there.find(copy->key.ns) : there.end();
      if (it == there.end()) continue;
      it->second->belief.seen = object;
      listed.push_back(it->second);
      there.erase(it);
    }
    CO_RETURN_IF_ERROR(co_await Run(pass, std::move(listed)));
    if (page->continue_token.empty()) break;
    options.continue_token = page->continue_token;
  }
  co_return absl::OkStatus();
}

StatusTask CopiedCsvReconciler::RunAll(Pass& pass) {
  CO_RETURN_IF_ERROR(co_await RunListed(pass));
  std::vector<Action*> others;
  for (Action& action : pass.actions) {
    if (!action.result) others.push_back(&action);
  }
  co_return co_await Run(pass, std::move(others));
}

void CopiedCsvReconciler::Conclude(Pass& pass, Name& name) {
  for (const Action& action : pass.actions) ConcludeSlot(pass, name, action);
  const CopiedCsvMetrics::Counts counts = name.troubles.Counts();
  metrics_.ChangeTroubles(name.told, counts);
  name.told = counts;
}

void CopiedCsvReconciler::ConcludeSlot(Pass& pass, Name& name, const Action& action) {
  using Kind = SlotResult::Kind;
  const std::string& ns = action.ns->name;
  const auto fails = [&](const std::string& why, const std::string& uid) {
    NoteTrouble(name, action, Trouble::kFailed, why, uid);
  };
  const bool unsent = !action.result ||
                      OutcomeOf(action.result->status()) == WriteOutcome::kThrottled ||
                      (!action.result->ok() && action.result->status() == deps_.leadership.Check());
  if (unsent) {
    // Nothing was done for this slot, so mark it again: the key is retried because its run failed.
    name.slots.insert(ns);
    return;
  }
  if (!action.result->ok()) {
    const absl::Status& failure = action.result->status();
    if (NamespaceEnds(failure)) {
      name.troubles.Note(ns, Trouble::kFailed, action.digest(), pass.now);
    } else {
      fails(std::string(ToStd(failure.message())), "");
    }
    return;
  }
  const SlotResult& result = **action.result;
  switch (result.kind) {
    case Kind::kRight:
      name.troubles.Settle(ns);
      return;
    case Kind::kCreated:
      metrics_.CountCreated();
      name.troubles.Settle(ns);
      return;
    case Kind::kUpdated: {
      metrics_.CountUpdated();
      const auto settled = name.settled.find(action.source->key.ns);
      if (settled == name.settled.end() || settled->second != action.digest()) {
        name.troubles.Settle(ns);
      } else if (name.troubles.NoteRepair(ns, action.digest(), pass.now)) {
        Tell(action.source->key, action.source->uid, Trouble::kContested,
             StrCat("Somebody changes the copy in namespace ", ns,
                    " again and again; it is repaired less and less often"));
      }
      return;
    }
    case Kind::kDeleted:
      metrics_.CountDeleted();
      name.troubles.Forget(ns);
      return;
    case Kind::kNotKept:
      NoteTrouble(name, action, Trouble::kNotKept, result.detail, result.uid);
      return;
    case Kind::kNotACopy:
      NoteTrouble(name, action, Trouble::kNameTaken, result.detail, result.uid);
      return;
    case Kind::kHeld:
      // The copy is gone once its finalizers are removed. Then the index reports it.
      if (action.wanted == nullptr) return name.troubles.Settle(ns);
      fails(result.detail, result.uid);
      return;
    case Kind::kStale:
      fails(result.detail, result.uid);
      return;
  }
}

void CopiedCsvReconciler::NoteTrouble(Name& name, const Action& action, Trouble trouble,
                                      const std::string& why, const std::string& uid) {
  const std::string& ns = action.ns->name;
  if (!name.troubles.Note(ns, trouble, action.digest(), deps_.clock.Monotonic())) return;
  if (action.source != nullptr) {
    Tell(action.source->key, action.source->uid, trouble,
         StrCat("Not copied to namespace ", ns, ": ", why));
  } else if (!uid.empty()) {
    Tell({ns, action.name}, uid, trouble, StrCat("Not removed: ", why));
  }
}

void CopiedCsvReconciler::Tell(const kube::NamespacedName& about, const std::string& uid,
                               Trouble trouble, const std::string& message) {
  deps_.events.Record({olm::kCsvKind, about, uid}, EventType::kWarning, ReasonOf(trouble), message);
}

}  // namespace steward::controllers
