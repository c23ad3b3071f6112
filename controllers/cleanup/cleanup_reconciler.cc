#include "controllers/cleanup/cleanup_reconciler.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "base/async/backoff.h"
#include "base/async/race.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/cleanup/guards/resources.h"
#include "controllers/runtime/world_changes.h"
#include "kube/client/object_meta.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "olm/csv_decode.h"
#include "olm/csv_facts.h"
#include "olm/objects.h"
#include "storage/operators/operator_world.h"
#include "storage/operators/touched_operators.h"
#include "storage/world/world.h"

namespace steward::controllers {
namespace {

// The delay of a sweep after a change of rights, because an installation changes many rights at
// once.
constexpr absl::Duration kSweepSoon = absl::Seconds(1);

// Passes wait this long, from the start of a term, for the copies to be known. Many copies take
// longer.
constexpr std::chrono::seconds kCopiesMayTake{5};

bool Has(const kube::ObjectMeta& object, std::string_view finalizer) {
  return std::find(object.finalizers.begin(), object.finalizers.end(), finalizer) !=
         object.finalizers.end();
}

CleanerDeps DepsOf(const ReconcilerDeps& deps, CleanupMetrics& metrics, const olm::CsvTerms& terms,
                   OperandWatches& watches, const CopyIndex* copies) {
  return {deps.client, deps.leadership, deps.events,
          deps.clock,  metrics,         CsvsOf(deps.worlds, terms),
          &watches,    copies};
}

std::string Quoted(std::string_view text) {
  std::string quoted;
  AppendJsonString(text, quoted);
  return quoted;
}

absl::StatusOr<olm::CsvFacts> FactsOf(const olm::Csv& csv, const olm::CsvTerms& terms) {
  return olm::DecodeCsvFacts(StrCat(R"({"metadata":{"name":)", Quoted(csv.key.name),
                                    R"(,"namespace":)", Quoted(csv.key.ns), R"(,"uid":)",
                                    Quoted(csv.uid), R"(},"spec":)", csv.spec_json.view(), "}"),
                             terms);
}

// True if, as far as the World shows, only an abort is left to do for `csv`. False if that is
// unknown, because other work may take long.
bool IsAborted(const olm::Csv& csv, const olm::CsvTerms& terms) {
  if (csv.cleanup == nullptr) return false;
  const olm::CsvFacts& known = csv.cleanup->facts;
  // The World's facts were decoded without `terms`, and `terms` can only turn false into true.
  if (known.OptedIn() || !terms.supported_by_default) return !known.OptedIn();
  olm::CsvFacts meant = known;
  meant.cleanup_enabled = true;
  // Called often on large specs: skip parsing unless the text contains `"cleanup"`.
  if (csv.spec_json.view().find(R"("cleanup")") != std::string_view::npos) {
    const absl::StatusOr<olm::CsvFacts> facts = FactsOf(csv, terms);
    meant.cleanup_enabled = !facts.ok() || facts->cleanup_enabled;
  }
  return !meant.OptedIn();
}

// The witness is only needed if no policy refuses the deletions that it looks for.
CleanerOptions WithWitness(CleanerOptions options, const DeletionWitness& witness) {
  if (options.guards.allow_unprotected && !options.guards.collector_finalizers_stay) {
    options.guards.deletion_mode = [&witness](const Key& csv, const std::string& uid) {
      return witness.ModeOf(csv, uid);
    };
  }
  return options;
}

}  // namespace

const Key CleanupReconciler::kSweepKey = {"", "sweep"};

ControllerOptions CleanupControllerOptions() {
  ControllerOptions options;
  options.name = "cleanup";
  options.workers = 4;
  options.quick_workers = 2;  // one for a sweep, one for other quick keys
  return options;
}

KnownCsvs CsvsOf(storage::WorldStore& worlds, const olm::CsvTerms& terms) {
  return [&worlds, terms](const std::set<kube::NamespacedName>& without) {
    std::vector<olm::CsvFacts> known;
    const auto world = storage::OperatorWorld::Of(worlds.Current());
    for (auto it = world->csvs().begin(); !it.done(); it.Next()) {
      const olm::Csv& csv = *it.value();
      if (csv.copied || csv.cleanup == nullptr || without.contains(it.key())) continue;
      if (terms == olm::CsvTerms()) {
        known.push_back(csv.cleanup->facts);
        continue;
      }
      absl::StatusOr<olm::CsvFacts> facts = FactsOf(csv, terms);
      // Cannot fail, because this was decoded already when the World was made.
      if (facts.ok()) known.push_back(*std::move(facts));
    }
    return known;
  };
}

CleanupReconciler::CleanupReconciler(const ReconcilerDeps& deps, CleanupMetrics& metrics,
                                     CleanupOptions options)
    : deps_(deps),
      metrics_(metrics),
      options_(std::move(options)),
      watches_(deps.metadata, deps.clock, metrics,
               [this](const Key& csv, absl::Duration delay) { queue_->AddAfter(csv, delay); }),
      copies_(deps.client, deps.clock, deps.random, options_.cleaner.guards.terms,
              [&metrics](bool known) { metrics.SetCopiesKnown(known); }),
      cleaner_(DepsOf(deps, metrics, options_.cleaner.guards.terms, watches_,
                      options_.cleaner.guards.allow_unprotected ? nullptr : &copies_),
               WithWitness(options_.cleaner, witness_)) {}

CleanupReconciler::~CleanupReconciler() { metrics_.ForgetAll(); }

VoidTask CleanupReconciler::Feed(WorkQueue& queue) {
  queue_ = &queue;
  copies_deadline_ = std::chrono::steady_clock::now() + kCopiesMayTake;
  MetadataSelection selection;
  selection.gvr = kCsvs;
  selection.label_selector = StrCat("!", olm::kCopiedFromLabel);
  MetadataCallbacks callbacks;
  callbacks.changed = [this, &queue](const kube::NamespacedName& name) { NoteCsv(queue, name); };
  callbacks.listed = [this] { listing_ = true; };
  callbacks.synced = [this] { listing_ = false; };
  csvs_ = deps_.metadata.Open(std::move(selection), std::move(callbacks));
  // An informer that ran already does not report its present objects to this new watch.
  std::vector<Key> held;
  csvs_->ForEach([&held](const kube::ObjectMeta& object) { held.push_back(object.name); });
  listing_ = true;
  for (const Key& key : held) NoteCsv(queue, key);
  listing_ = false;
  queue.Add(kSweepKey);
  // Follow Worlds, too, because an abort changes nothing in the watched metadata.
  VoidTask follow_worlds =
      FollowWorlds(deps_.worlds,
                   [this, &queue](const storage::World&, const storage::TouchedOperators* touched) {
                     for (const Key& key : opted_in_) {
                       if (touched == nullptr || touched->csvs.contains(key)) queue.Add(key);
                     }
                   });
  // Runs until cancelled. If the label of copies is not protected, copies are listed with the
  // others, so there is no need to follow them.
  if (options_.cleaner.guards.allow_unprotected) {
    co_await std::move(follow_worlds);
  } else {
    co_await UntilOneEnds(std::move(follow_worlds), FollowCopies());
  }
}

VoidTask CleanupReconciler::FollowCopies() {
  Backoff backoff({.max = absl::Seconds(5)}, deps_.random);
  while (!(co_await cleaner_.ListOriginals()).ok()) {
    co_await deps_.clock.Sleep(backoff.Next());
  }
  co_await copies_.Run();
}

void CleanupReconciler::NoteCsv(WorkQueue& queue, const Key& key) {
  const kube::ObjectMeta* csv = csvs_->Find(key);
  const bool opted_in = csv != nullptr && Has(*csv, olm::kCleanupFinalizer);
  const bool legacy = csv != nullptr && Has(*csv, olm::kLegacyCleanupFinalizer);
  witness_.Note(key, opted_in ? csv : nullptr, listing_);
  const bool was = opted_in ? !opted_in_.insert(key).second : opted_in_.erase(key) > 0;
  if (opted_in || legacy || was) queue.Add(key);
  // The holds on its rights have no reason any more.
  if (was && !opted_in) queue.AddAfter(kSweepKey, kSweepSoon);
  WatchRights(queue, !opted_in_.empty());
}

void CleanupReconciler::WatchRights(WorkQueue& queue, bool wanted) {
  if (wanted == !rights_.empty()) return;
  if (!wanted) {
    rights_.clear();
    return;
  }
  for (const kube::GroupVersionResource& gvr : olm::HeldResources()) {
    MetadataSelection selection;
    selection.gvr = gvr;
    selection.label_selector = StrCat(olm::kOwnerKindLabel, "=", olm::kOwnerKind);
    MetadataCallbacks callbacks;
    callbacks.changed = [&queue](const kube::NamespacedName&) {
      queue.AddAfter(kSweepKey, kSweepSoon);
    };
    rights_.push_back(deps_.metadata.Open(std::move(selection), std::move(callbacks)));
  }
}

bool CleanupReconciler::IsQuick(const Key& key) const {
  if (key == kSweepKey) return true;
  const kube::ObjectMeta* csv = csvs_->Find(key);
  // Only the sweep has seen this object, so nothing is known about it.
  if (csv == nullptr) return false;
  if (!csv->deleting) return true;
  // An abort is quick. If the World lags behind, the abort is noticed only by the next round of
  // deletions.
  const auto world = storage::OperatorWorld::Of(deps_.worlds.Current());
  const olm::CsvPtr* content = world->csvs().Find(key);
  return content != nullptr && IsAborted(**content, options_.cleaner.guards.terms);
}

Task<ReconcileResult> CleanupReconciler::Reconcile(Key key) {
  if (key != kSweepKey) {
    if (!options_.cleaner.guards.allow_unprotected) {
      co_await copies_.UntilKnown(copies_deadline_);
    }
    co_return co_await cleaner_.Reconcile(std::move(key));
  }
  const SweepResult swept = co_await cleaner_.Sweep();
  // Queue the objects of `look_at` even if another part of the sweep failed. Feed may not see them,
  // because a label can make an opted-in object a copy.
  for (const Key& csv : swept.look_at) queue_->Add(csv);
  metrics_.SetSweepFailing(!swept.failure.ok());
  CO_RETURN_IF_ERROR(swept.failure);
  co_return ReconcileResult::After(options_.sweep_period);
}

}  // namespace steward::controllers
