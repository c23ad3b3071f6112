#include "payload/object_applier.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/apply/field_ownership.h"
#include "kube/meta/errors.h"
#include "kube/meta/metadata_access.h"
#include "kube/meta/status.h"
#include "olm/plan/definition_change.h"

namespace steward::payload {
namespace json = boost::json;
namespace {

// Members of metadata that the server alone sets.
constexpr const char* kServersOwn[] = {
    "uid",           "resourceVersion",  "generation", "selfLink", "creationTimestamp",
    "managedFields", "deletionTimestamp"};

json::value Wanted(const olm::PayloadManifest& manifest) {
  json::object object = manifest.object;
  object.erase("status");
  json::object& metadata = object["metadata"].as_object();
  for (const char* key : kServersOwn) metadata.erase(key);
  return object;
}

bool IsJob(const kube::GroupVersionKind& gvk) { return gvk.group == "batch" && gvk.kind == "Job"; }
bool IsDefinition(const kube::GroupVersionKind& gvk) {
  return gvk.group == "apiextensions.k8s.io" && gvk.kind == "CustomResourceDefinition";
}

// True if the condition is "True"; `message` gets what it says.
bool HasCondition(const json::value& object, std::string_view type, std::string* message) {
  const json::object* status = ObjectAt(object.get_object(), "status");
  const json::array* conditions = status == nullptr ? nullptr : ArrayAt(*status, "conditions");
  if (conditions == nullptr) return false;
  for (const json::value& each : *conditions) {
    const json::object* condition = each.if_object();
    if (condition == nullptr || StringAt(*condition, "type") != type) continue;
    if (message != nullptr) *message = StringAt(*condition, "message");
    return StringAt(*condition, "status") == "True";
  }
  return false;
}

// True once others may depend on the object; an error where that cannot be any more.
absl::StatusOr<bool> IsReady(const olm::PayloadManifest& manifest, const json::value& live) {
  std::string message;
  if (IsDefinition(manifest.gvk)) {
    return olm::IsEstablished(live.get_object(), &message);
  }
  if (HasCondition(live, "Failed", &message)) {
    return absl::FailedPreconditionError(StrCat("the Job has failed: ", message));
  }
  return HasCondition(live, "Complete", nullptr);
}

}  // namespace

absl::StatusOr<kube::NamespacedName> NameUnder(const kube::RestMapping& mapping,
                                               const olm::PayloadIdentity& identity) {
  if (!mapping.namespaced) {
    // Or one object would have two identities.
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

Task<ApplyPlan> ObjectApplier::Look(const olm::PayloadManifest& manifest) {
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
  // A server that writes no managedFields does not know whose fields are whose.
  const bool owners_known = kube::MetadataOf(plan.live)->contains("managedFields");
  if (owners_known ? difference.any() : !difference.fields.empty()) {
    plan.action = ApplyAction::kUpdate;
  }
  plan.fields = std::move(difference.fields);
  co_return plan;
}

Task<json::value> ObjectApplier::Put(const olm::PayloadManifest& manifest, const ApplyPlan& plan,
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
  CO_ASSIGN_OR_RETURN(ApplyPlan plan, co_await Look(manifest));
  if (plan.action == ApplyAction::kCreate || plan.action == ApplyAction::kUpdate) {
    const absl::StatusOr<json::value> answer = co_await Put(manifest, plan, /*dry_run=*/false);
    CO_RETURN_IF_ERROR(answer.status());
  }
  if (wait && (IsJob(manifest.gvk) || IsDefinition(manifest.gvk))) {
    CO_RETURN_IF_ERROR(co_await WaitUntilReady(manifest, plan));
  }
  co_return plan;
}

StatusTask ObjectApplier::WaitUntilReady(const olm::PayloadManifest& manifest,
                                         const ApplyPlan& plan) {
  const absl::Duration until = clock_.Monotonic() + options_.patience;
  while (true) {
    CO_ASSIGN_OR_RETURN(const kube::RawObject raw,
                        co_await client_.Get(plan.mapping.gvr, plan.name));
    CO_ASSIGN_OR_RETURN(const json::value live, ParseJson(raw.json));
    if (!live.is_object()) co_return absl::DataLossError("the object is none");
    CO_ASSIGN_OR_RETURN(const bool ready, IsReady(manifest, live));
    if (ready) co_return absl::OkStatus();
    if (clock_.Monotonic() >= until) {
      co_return absl::UnavailableError(IsJob(manifest.gvk)
                                           ? "the Job is not complete yet"
                                           : "the definition's API is not there yet");
    }
    co_await clock_.Sleep(options_.poll);
  }
}

}  // namespace steward::payload
