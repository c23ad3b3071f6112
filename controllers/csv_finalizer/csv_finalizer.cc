#include "controllers/csv_finalizer/csv_finalizer.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/families.h"
#include "kube/client/object_meta.h"
#include "kube/meta/errors.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/step.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"
#include "olm/object_facts.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr char kManager[] = "steward-operators";
// The time between two looks at objects that are being deleted.
constexpr absl::Duration kPause = absl::Seconds(1);

bool HasFinalizer(const kube::ObjectMeta& csv) {
  const auto& finalizers = csv.finalizers;
  return std::find(finalizers.begin(), finalizers.end(), bundle::kCsvFinalizer) != finalizers.end();
}

bool Waits(const kube::ObjectMeta& csv) { return csv.deleting && HasFinalizer(csv); }

bool Lacks(const kube::ObjectMeta& csv) { return !csv.deleting && !HasFinalizer(csv); }

}  // namespace

VoidTask CsvFinalizer::Feed(WorkQueue& queue) {
  MetadataSelection selection;
  selection.gvr = olm::kCsvs;
  selection.label_selector = StrCat("!", olm::kCopiedFromLabel);
  MetadataCallbacks callbacks;
  callbacks.changed = [this, &queue](const kube::NamespacedName& name) {
    const kube::ObjectMeta* csv = csvs_ == nullptr ? nullptr : csvs_->Find(name);
    if (csv != nullptr && Waits(*csv)) queue.Add(name);
  };
  csvs_ = deps_.metadata.Open(std::move(selection), std::move(callbacks));
  // An informer that ran already does not report its present objects to this new watch.
  csvs_->ForEach([&queue](const kube::ObjectMeta& csv) {
    if (Waits(csv)) queue.Add(csv.name);
  });
  MetadataSelection managed;
  managed.gvr = olm::kCsvs;
  managed.label_selector = StrCat(olm::kManagedLabel, "=true,!", olm::kCopiedFromLabel);
  MetadataCallbacks made;
  made.changed = [this, &queue](const kube::NamespacedName& name) {
    const kube::ObjectMeta* csv = managed_ == nullptr ? nullptr : managed_->Find(name);
    if (csv != nullptr && Lacks(*csv)) queue.Add(name);
  };
  managed_ = deps_.metadata.Open(std::move(managed), std::move(made));
  managed_->ForEach([&queue](const kube::ObjectMeta& csv) {
    if (Lacks(csv)) queue.Add(csv.name);
  });
  while (true) co_await deps_.clock.Sleep(absl::Hours(1));
}

Task<ReconcileResult> CsvFinalizer::Reconcile(Key key) {
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(olm::kCsvs, key);
  if (kube::IsNotFound(raw.status(), key.name)) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
  if (facts.labels.contains(std::string(olm::kCopiedFromLabel))) co_return ReconcileResult::Done();
  std::vector<std::string> finalizers = facts.finalizers;
  if (!facts.deleting() && !facts.HasFinalizer(bundle::kCsvFinalizer)) {
    const auto managed = facts.labels.find(std::string(olm::kManagedLabel));
    if (managed == facts.labels.end() || managed->second != "true") {
      co_return ReconcileResult::Done();
    }
    finalizers.emplace_back(bundle::kCsvFinalizer);
    const absl::Status marked =
        co_await SetFinalizers(key, facts.resource_version, std::move(finalizers));
    if (kube::IsOvertaken(marked)) co_return ReconcileResult::Requeue();
    CO_RETURN_IF_ERROR(marked);
    co_return ReconcileResult::Done();
  }
  if (!facts.deleting() || !facts.HasFinalizer(bundle::kCsvFinalizer) ||
      olm::WaitsForCleanup(facts)) {
    co_return ReconcileResult::Done();
  }
  bundle::FinalizedObjects objects(deps_.client, key);
  size_t left = 0;
  for (const kube::GroupVersionResource& gvr : bundle::FinalizedResources()) {
    CO_ASSIGN_OR_RETURN(std::vector<bundle::FinalizedObject> found, co_await objects.Find(gvr));
    CO_ASSIGN_OR_RETURN(const size_t going, co_await DeleteThese(gvr, std::move(found)));
    left += going;
  }
  if (left > 0) co_return ReconcileResult::After(kPause);
  finalizers = olm::FinalizersWithout(facts.finalizers, {std::string(bundle::kCsvFinalizer)});
  const absl::Status written =
      co_await SetFinalizers(key, facts.resource_version, std::move(finalizers));
  // The object has changed since it was read, or is gone.
  if (kube::IsOvertaken(written)) co_return ReconcileResult::Requeue();
  CO_RETURN_IF_ERROR(written);
  co_return ReconcileResult::Done();
}

StatusTask CsvFinalizer::SetFinalizers(Key csv, std::string resource_version,
                                       std::vector<std::string> finalizers) {
  json::object metadata = {{"resourceVersion", resource_version}};
  metadata["finalizers"] =
      finalizers.empty() ? json::value() : json::array(finalizers.begin(), finalizers.end());
  json::object patch;
  patch["metadata"] = std::move(metadata);
  const json::value object = std::move(patch);
  kube::WriteOptions options;
  options.field_manager = kManager;
  co_return (
      co_await deps_.client.Patch(olm::kCsvs, csv, kube::PatchType::kJsonMerge, object, options))
      .status();
}

Task<size_t> CsvFinalizer::DeleteThese(kube::GroupVersionResource gvr,
                                       std::vector<bundle::FinalizedObject> objects) {
  size_t left = 0;
  for (const bundle::FinalizedObject& each : objects) {
    if (each.stays) continue;
    ++left;
    if (each.facts.deleting()) continue;
    kube::DeleteOptions options;
    options.uid = each.facts.uid;
    options.resource_version = each.facts.resource_version;
    const absl::Status deleted =
        (co_await deps_.client.Delete(gvr, each.facts.key, options)).status();
    if (!deleted.ok() && !kube::IsOvertaken(deleted)) co_return deleted;
  }
  co_return left;
}

KnownReconciler KnownCsvFinalizer() {
  KnownReconciler known;
  known.options.name = "csv-finalizer";
  known.family = kOperatorsFamily;
  known.options.limits.initial = absl::Seconds(1);
  known.options.limits.max = absl::Seconds(30);
  known.conflicts_with = {PeerOperator::kOlmOperator};
  known.prepare = [](const FlagValues&, prometheus::Registry&) -> ReconcilerFactory {
    return [](const ReconcilerDeps& deps) { return std::make_unique<CsvFinalizer>(deps); };
  };
  return known;
}

}  // namespace steward::controllers
