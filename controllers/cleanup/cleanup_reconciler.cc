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
#include "olm/cleanup/csv_decode.h"
#include "olm/cleanup/csv_facts.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
#include "olm/copy.h"
#include "olm/objects.h"
#include "storage/world/touched.h"
#include "storage/world/world.h"

namespace steward::controllers {
namespace {

// Many changes of rights come together, when an operator is installed.
constexpr absl::Duration kSweepSoon = absl::Seconds(1);

// From the start of a term on; where there are many it takes longer.
constexpr std::chrono::seconds kCopiesMayTake{5};

bool Has(const ObjectMetadata& object, std::string_view finalizer) {
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

// Whether nothing but an abort is left to be done for it, as far as the World says. What is not
// known may take long.
bool IsAborted(const olm::Csv& csv, const olm::CsvTerms& terms) {
  if (csv.cleanup == nullptr) return false;
  const olm::CsvFacts& known = csv.cleanup->facts;
  if (!known.HasFinalizer(olm::kCleanupFinalizer)) return true;
  // It was read without the terms, which only ever make it support cleanup.
  if (known.cleanup_enabled) return false;
  if (!terms.supported_by_default) return true;
  // This is asked often, and a spec is large: most that say nothing do not have the word.
  if (csv.spec_json.view().find(R"("cleanup")") == std::string_view::npos) return false;
  const absl::StatusOr<olm::CsvFacts> facts = FactsOf(csv, terms);
  return facts.ok() && !facts->cleanup_enabled;
}

}  // namespace

const Key CleanupReconciler::kSweepKey = {"", "sweep"};

ControllerOptions CleanupControllerOptions() {
  ControllerOptions options;
  options.name = "cleanup";
  options.workers = 4;
  options.quick_workers = 2;  // a sweep, and what is wanted beside it
  return options;
}

KnownCsvs CsvsOf(storage::WorldStore& worlds, const olm::CsvTerms& terms) {
  return [&worlds, terms](const std::set<kube::NamespacedName>& without) {
    std::vector<olm::CsvFacts> known;
    const storage::WorldPtr world = worlds.Current();
    for (auto it = world->csvs().begin(); !it.done(); it.Next()) {
      const olm::Csv& csv = *it.value();
      if (csv.copied || csv.cleanup == nullptr || without.contains(it.key())) continue;
      if (terms == olm::CsvTerms()) {
        known.push_back(csv.cleanup->facts);
        continue;
      }
      absl::StatusOr<olm::CsvFacts> facts = FactsOf(csv, terms);
      // It was read once already, when the World was made.
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
               options_.cleaner) {}

CleanupReconciler::~CleanupReconciler() { metrics_.ForgetAll(); }

VoidTask CleanupReconciler::Feed(WorkQueue& queue) {
  queue_ = &queue;
  copies_deadline_ = std::chrono::steady_clock::now() + kCopiesMayTake;
  MetadataSelection selection;
  selection.gvr = kCsvs;
  selection.label_selector = StrCat("!", olm::kCopiedFromLabel);
  MetadataCallbacks callbacks;
  callbacks.changed = [this, &queue](const kube::NamespacedName& name) { NoteCsv(queue, name); };
  csvs_ = deps_.metadata.Open(std::move(selection), std::move(callbacks));
  // An informer that runs already has told others, not us.
  std::vector<Key> held;
  csvs_->ForEach([&held](const ObjectMetadata& object) { held.push_back(object.name); });
  for (const Key& key : held) NoteCsv(queue, key);
  queue.Add(kSweepKey);
  // An abort changes nothing that metadata shows.
  VoidTask follow_worlds = FollowWorlds(
      deps_.worlds, [this, &queue](const storage::World&, const storage::Touched* touched) {
        for (const Key& key : opted_in_) {
          if (touched == nullptr || touched->csvs.contains(key)) queue.Add(key);
        }
      });
  // Until cancelled. Where copies are not protected they are listed with the others.
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
  const ObjectMetadata* csv = csvs_->Find(key);
  const bool opted_in = csv != nullptr && Has(*csv, olm::kCleanupFinalizer);
  const bool legacy = csv != nullptr && Has(*csv, olm::kLegacyCleanupFinalizer);
  const bool was = opted_in ? !opted_in_.insert(key).second : opted_in_.erase(key) > 0;
  if (opted_in || legacy || was) queue.Add(key);
  // What it held has no reason any more.
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
  const ObjectMetadata* csv = csvs_->Find(key);
  // Of what only the sweep has seen nothing is known.
  if (csv == nullptr) return false;
  if (!csv->deleting) return true;
  // To be aborted. The World may lag behind: then it takes a round of deletions to see.
  const storage::WorldPtr world = deps_.worlds.Current();
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
  // Also those that Feed does not see: a label can make a copy of what was opted in. And whatever
  // else of the sweep failed.
  for (const Key& csv : swept.look_at) queue_->Add(csv);
  metrics_.SetSweepFailing(!swept.failure.ok());
  CO_RETURN_IF_ERROR(swept.failure);
  co_return ReconcileResult::After(options_.sweep_period);
}

}  // namespace steward::controllers
