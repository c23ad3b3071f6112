#include "controllers/csv_finalizer/csv_finalizer.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "controllers/families.h"
#include "kube/client/object_meta.h"
#include "kube/client/pager.h"
#include "kube/meta/errors.h"
#include "kube/meta/label_syntax.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/resources.h"
#include "kube/meta/write_options.h"
#include "olm/alongside.h"
#include "olm/cleanup/decode.h"
#include "olm/cleanup/holds.h"
#include "olm/cleanup/names.h"
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
      {"scheduling.k8s.io", "v1", "priorityclasses"},
      {"console.openshift.io", "v1", "consoleclidownloads"},
      {"console.openshift.io", "v1", "consolelinks"},
      {"console.openshift.io", "v1", "consoleplugins"},
      {"console.openshift.io", "v1", "consolequickstarts"},
      {"console.openshift.io", "v1", "consoleyamlsamples"},
  };
  return owned;
}

bool HasFinalizer(const kube::ObjectMeta& csv) {
  const auto& finalizers = csv.finalizers;
  return std::find(finalizers.begin(), finalizers.end(), kOlmFinalizer) != finalizers.end();
}

bool Waits(const kube::ObjectMeta& csv) { return csv.deleting && HasFinalizer(csv); }

bool Lacks(const kube::ObjectMeta& csv) { return !csv.deleting && !HasFinalizer(csv); }

// An object that may be the operator's.
struct Owned {
  olm::ObjectFacts facts;
  std::vector<kube::NamespacedName> users;  // by its owner labels and annotations
};

absl::StatusOr<Owned> ReadOwned(const kube::RawObject& raw) {
  Owned owned;
  ASSIGN_OR_RETURN(owned.facts, olm::DecodeObjectFacts(raw.json));
  ASSIGN_OR_RETURN(const json::value object, ParseJson(raw.json));
  const json::object* metadata = kube::MetadataOf(object);
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  if (annotations != nullptr) owned.users = olm::InstalledAlongside(*annotations);
  const std::optional<kube::NamespacedName> owner = olm::OwnerOf(owned.facts.labels);
  if (owner) owned.users.push_back(*owner);
  return owned;
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
  if (!facts.deleting() && !facts.HasFinalizer(kOlmFinalizer)) {
    const auto managed = facts.labels.find(std::string(olm::kManagedLabel));
    if (managed == facts.labels.end() || managed->second != "true") {
      co_return ReconcileResult::Done();
    }
    finalizers.emplace_back(kOlmFinalizer);
    const absl::Status marked =
        co_await SetFinalizers(key, facts.resource_version, std::move(finalizers));
    if (kube::IsOvertaken(marked)) co_return ReconcileResult::Requeue();
    CO_RETURN_IF_ERROR(marked);
    co_return ReconcileResult::Done();
  }
  if (!facts.deleting() || !facts.HasFinalizer(kOlmFinalizer) || olm::WaitsForCleanup(facts)) {
    co_return ReconcileResult::Done();
  }
  Others others;
  size_t left = 0;
  // No object can bear a name that is no label's value.
  if (kube::LabelValueProblem(key.name).empty()) {
    for (const kube::GroupVersionResource& gvr : OwnedResources()) {
      CO_ASSIGN_OR_RETURN(const size_t found, co_await DeleteOwned(gvr, key, others));
      left += found;
    }
  }
  if (left > 0) co_return ReconcileResult::After(kPause);
  finalizers = olm::FinalizersWithout(facts.finalizers, {std::string(kOlmFinalizer)});
  const absl::Status written =
      co_await SetFinalizers(key, facts.resource_version, std::move(finalizers));
  // It has changed since it was read, or is gone.
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

Task<bool> CsvFinalizer::AnyStays(std::vector<kube::NamespacedName> csvs, kube::NamespacedName csv,
                                  Others& others) {
  for (const kube::NamespacedName& other : csvs) {
    if (other == csv) continue;
    const auto known = others.find(other);
    if (known != others.end()) {
      if (known->second) co_return true;
      continue;
    }
    const absl::StatusOr<kube::RawObject> raw = co_await deps_.client.Get(olm::kCsvs, other);
    bool stays = false;
    if (!kube::IsNotFound(raw.status(), other.name)) {
      CO_RETURN_IF_ERROR(raw.status());
      CO_ASSIGN_OR_RETURN(const olm::ObjectFacts facts, olm::DecodeObjectFacts(raw->json));
      // One that waits for its cleanup needs its rights.
      const bool goes = facts.deleting() && !olm::WaitsForCleanup(facts);
      stays = !goes && !facts.labels.contains(std::string(olm::kCopiedFromLabel));
    }
    others[other] = stays;
    if (stays) co_return true;
  }
  co_return false;
}

Task<size_t> CsvFinalizer::DeleteOwned(kube::GroupVersionResource gvr, kube::NamespacedName csv,
                                       Others& others) {
  // By the owner's labels, and, where another operator has become the owner since, by the
  // annotation.
  std::map<std::string, Owned> found;
  const std::vector<std::string> selectors = {olm::OwnerSelector(csv),
                                              std::string(olm::kOwnerLabel)};
  for (const std::string& selector : selectors) {
    kube::ListOptions list;
    list.label_selector = selector;
    list.limit = kPage;
    list.metadata_only = true;
    const absl::Status listed = co_await kube::VisitAll(
        deps_.client, gvr, list, [&found, &csv](const kube::RawObject& raw) -> absl::Status {
          ASSIGN_OR_RETURN(Owned owned, ReadOwned(raw));
          const auto& users = owned.users;
          if (std::find(users.begin(), users.end(), csv) == users.end()) return absl::OkStatus();
          const std::string name = owned.facts.key.name;
          found.emplace(name, std::move(owned));
          return absl::OkStatus();
        });
    // A cluster that does not have the kind has none of its objects.
    if (kube::IsNotServed(listed)) co_return size_t{0};
    CO_RETURN_IF_ERROR(listed);
  }
  size_t left = 0;
  for (const auto& [name, each] : found) {
    CO_ASSIGN_OR_RETURN(const bool used, co_await AnyStays(each.users, csv, others));
    if (used) continue;
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
