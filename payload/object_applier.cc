#include "payload/object_applier.h"

#include <algorithm>
#include <boost/json/object.hpp>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/apply/field_ownership.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"
#include "payload/object_health.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

// The members of metadata that only the server sets.
constexpr const char* kServersOwn[] = {
    "uid",           "resourceVersion",  "generation", "selfLink", "creationTimestamp",
    "managedFields", "deletionTimestamp"};

json::value Wanted(const olm::PayloadManifest& manifest) {
  json::object object = manifest.object;
  object.erase("status");
  // The cluster-version-operator creates ClusterOperators by name alone, so their manifests may
  // lack the spec that the API server requires.
  if (manifest.identity.kind == "ClusterOperator" && !object.contains("spec")) {
    object["spec"] = json::object();
  }
  json::object& metadata = object["metadata"].as_object();
  for (const char* key : kServersOwn) metadata.erase(key);
  return object;
}

// A definition's API always gets at least this much time to appear.
constexpr absl::Duration kDefinitionTakes = absl::Seconds(30);

}  // namespace

absl::StatusOr<kube::NamespacedName> NameUnder(const kube::RestMapping& mapping,
                                               const olm::PayloadIdentity& identity) {
  if (!mapping.namespaced) {
    // A namespace here would give one object two identities.
    if (!identity.ns.empty()) {
      return absl::FailedPreconditionError(
          "objects of its kind lie in no namespace, and it names one");
    }
    return kube::NamespacedName{"", identity.name};
  }
  if (identity.ns.empty()) {
    return absl::FailedPreconditionError("objects of its kind lie in a namespace; it names none");
  }
  return kube::NamespacedName{identity.ns, identity.name};
}

Task<ApplyPlan> ObjectApplier::Plan(const olm::PayloadManifest& manifest) {
  CO_ASSIGN_OR_RETURN(const std::optional<kube::RestMapping> mapping,
                      co_await mapper_.Find(manifest.gvk));
  if (!mapping) {
    co_return absl::FailedPreconditionError(StrCat(
        "the API server does not serve ", manifest.gvk.kind, " of ", manifest.gvk.ApiVersion()));
  }
  ApplyPlan plan;
  plan.mapping = *mapping;
  CO_ASSIGN_OR_RETURN(plan.name, NameUnder(*mapping, manifest.identity));
  const absl::StatusOr<kube::RawObject> raw = co_await client_.Get(plan.mapping.gvr, plan.name);
  if (kube::IsNotFound(raw.status(), plan.name.name)) {
    plan.action = ApplyAction::kCreate;
    co_return plan;
  }
  if (kube::IsNotServed(raw.status())) mapper_.Forget(manifest.gvk.group_version());
  CO_RETURN_IF_ERROR(raw.status());
  CO_ASSIGN_OR_RETURN(plan.live, ParseJson(raw->json));
  if (kube::MetadataOf(plan.live) == nullptr) co_return absl::DataLossError("the object is none");
  if (!kube::MetadataText(plan.live, "deletionTimestamp").empty()) {
    co_return absl::FailedPreconditionError(
        "the object is being deleted; it is made again once it is gone");
  }
  if (manifest.create_only) {
    plan.action = ApplyAction::kLeft;
    co_return plan;
  }
  const json::value wanted = Wanted(manifest);
  kube::ApplyDifference difference =
      kube::CompareForApply(wanted.get_object(), plan.live.get_object(), kFieldManager);
  // Without managedFields the server does not know which manager owns a field.
  const bool owners_known = kube::MetadataOf(plan.live)->contains("managedFields");
  if (owners_known ? difference.any() : !difference.fields.empty()) {
    plan.action = ApplyAction::kUpdate;
  }
  plan.fields = std::move(difference.fields);
  co_return plan;
}

Task<json::value> ObjectApplier::Write(const olm::PayloadManifest& manifest, const ApplyPlan& plan,
                                       bool dry_run) {
  const json::value wanted = Wanted(manifest);
  kube::WriteOptions options;
  options.field_manager = kFieldManager;
  options.dry_run = dry_run;
  const kube::GroupVersionResource gvr = plan.mapping.gvr;
  if (!manifest.create_only) {
    options.force = true;
    absl::StatusOr<json::value> applied =
        co_await client_.Patch(gvr, plan.name, kube::PatchType::kApply, wanted, options);
    if (!kube::HasReason(applied.status(), "UnsupportedMediaType")) co_return std::move(applied);
    options.force = false;
  }
  if (plan.action == ApplyAction::kCreate) {
    co_return co_await client_.Create(gvr, plan.name.ns, wanted, options);
  }
  co_return co_await client_.Patch(gvr, plan.name, kube::PatchType::kJsonMerge, wanted, options);
}

Task<ApplyPlan> ObjectApplier::Apply(const olm::PayloadManifest& manifest, bool wait) {
  CO_ASSIGN_OR_RETURN(ApplyPlan plan, co_await Plan(manifest));
  if (plan.action == ApplyAction::kCreate || plan.action == ApplyAction::kUpdate) {
    if (may_write_) CO_RETURN_IF_ERROR(co_await may_write_());
    const absl::StatusOr<json::value> answer = co_await Write(manifest, plan, /*dry_run=*/false);
    CO_RETURN_IF_ERROR(answer.status());
  }
  if (wait && HasHealth(manifest.identity)) {
    CO_RETURN_IF_ERROR(co_await WaitUntilHealthy(manifest, plan));
  }
  co_return plan;
}

StatusTask ObjectApplier::WaitUntilHealthy(const olm::PayloadManifest& manifest,
                                           const ApplyPlan& plan) {
  absl::Duration patience = options_.patience;
  if (manifest.identity.kind == "CustomResourceDefinition") {
    patience = std::max(patience, kDefinitionTakes);
  }
  if (patience == absl::ZeroDuration()) co_return absl::OkStatus();
  const absl::Duration until = clock_.Monotonic() + patience;
  std::string told;
  while (true) {
    CO_ASSIGN_OR_RETURN(const kube::RawObject raw,
                        co_await client_.Get(plan.mapping.gvr, plan.name));
    CO_ASSIGN_OR_RETURN(const json::value live, ParseJson(raw.json));
    if (!live.is_object()) co_return absl::DataLossError("the object is none");
    CO_ASSIGN_OR_RETURN(const std::string lack, LackOf(manifest, live.get_object()));
    if (lack.empty()) co_return absl::OkStatus();
    if (std::exchange(told, lack) != lack && waits_) waits_(manifest.identity, lack);
    if (clock_.Monotonic() >= until) {
      co_return absl::UnavailableError(StrCat(lack, ", after ", absl::FormatDuration(patience)));
    }
    co_await clock_.Sleep(options_.poll);
  }
}

}  // namespace steward::payload
