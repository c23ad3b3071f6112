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
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/families.h"
#include "kube/client/object_meta.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/object_facts.h"
#include "olm/cleanup/step.h"
#include "olm/cleanup/waiting.h"
#include "olm/copy.h"
#include "olm/resources.h"

namespace steward::controllers {
namespace json = boost::json;
namespace {

constexpr std::string_view kOlmFinalizer = "operators.coreos.com/csv-cleanup";
constexpr char kManager[] = "steward-operators";
constexpr int64_t kPage = 500;
// From one look at objects that are being deleted to the next.
constexpr absl::Duration kPause = absl::Seconds(1);

// In OLM's order.
const std::vector<kube::GroupVersionResource>& OwnedResources() {
  static const auto& owned = *new std::vector<kube::GroupVersionResource>{
      {"rbac.authorization.k8s.io", "v1", "clusterrolebindings"},
      {"rbac.authorization.k8s.io", "v1", "clusterroles"},
      {"admissionregistration.k8s.io", "v1", "mutatingwebhookconfigurations"},
      {"admissionregistration.k8s.io", "v1", "validatingwebhookconfigurations"},
      kube::kApiServices,
  };
  return owned;
}

bool Waits(const kube::ObjectMeta& csv) {
  const auto& finalizers = csv.finalizers;
  return csv.deleting &&
         std::find(finalizers.begin(), finalizers.end(), kOlmFinalizer) != finalizers.end();
}

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
  // An informer that runs already has called others for its objects, not this watch.
  csvs_->ForEach([&queue](const kube::ObjectMeta& csv) {
    if (Waits(csv)) queue.Add(csv.name);
  });
  while (true) co_await deps_.clock.Sleep(absl::Hours(1));
}

Task<ReconcileResult> CsvFinalizer::Reconcile(Key key) {
  const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(olm::kCsvs, key);
  if (kube::IsNotFound(raw.status(), key.name)) co_return ReconcileResult::Done();
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
  if (!facts.deleting() || !facts.HasFinalizer(kOlmFinalizer) ||
      facts.labels.contains(std::string(olm::kCopiedFromLabel)) || olm::WaitsForCleanup(facts)) {
    co_return ReconcileResult::Done();
  }
  size_t left = 0;
  // No object can bear a name that is no label's value.
  if (kube::LabelValueProblem(key.name).empty()) {
    for (const kube::GroupVersionResource& gvr : OwnedResources()) {
      CO_ASSIGN_OR_RETURN(const size_t found, co_await DeleteOwned(gvr, key));
      left += found;
    }
  }
  if (left > 0) co_return ReconcileResult::After(kPause);
  json::object metadata = {{"resourceVersion", facts.resource_version}};
  const std::vector<std::string> kept =
      olm::FinalizersWithout(facts.finalizers, {std::string(kOlmFinalizer)});
  metadata["finalizers"] = kept.empty() ? json::value() : json::array(kept.begin(), kept.end());
  json::object patch;
  patch["metadata"] = std::move(metadata);
  const json::value object = std::move(patch);
  kube::WriteOptions options;
  options.field_manager = kManager;
  const absl::Status written =
      (co_await deps_.client.Patch(olm::kCsvs, key, kube::PatchType::kJsonMerge, object, options))
          .status();
  // It has changed since it was read, or is gone.
  if (kube::IsOvertaken(written)) co_return ReconcileResult::Requeue();
  CO_RETURN_IF_ERROR(written);
  co_return ReconcileResult::Done();
}

Task<size_t> CsvFinalizer::DeleteOwned(kube::GroupVersionResource gvr, kube::NamespacedName csv) {
  std::vector<olm::ObjectFacts> owned;
  kube::ListOptions list;
  list.label_selector = olm::OwnerSelector(csv);
  list.limit = kPage;
  list.metadata_only = true;
  const absl::Status listed = co_await kube::VisitAll(
      deps_.client, gvr, list, [&owned, &csv](const kube::RawObject& raw) -> absl::Status {
        ASSIGN_OR_RETURN(olm::ObjectFacts facts, olm::DecodeObjectFacts(raw.json));
        if (olm::OwnerOf(facts.labels) == csv) owned.push_back(std::move(facts));
        return absl::OkStatus();
      });
  // A cluster that does not have the kind has none of its objects.
  if (kube::IsNotServed(listed)) co_return size_t{0};
  CO_RETURN_IF_ERROR(listed);
  for (const olm::ObjectFacts& each : owned) {
    if (each.deleting()) continue;
    kube::DeleteOptions options;
    options.uid = each.uid;
    const absl::Status deleted = (co_await deps_.client.Delete(gvr, each.key, options)).status();
    if (!deleted.ok() && !kube::IsOvertaken(deleted)) co_return deleted;
  }
  co_return owned.size();
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
