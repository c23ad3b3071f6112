#include <boost/json/value.hpp>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/quote.h"
#include "kube/meta/status.h"
#include "storage/embedded/rules/identity_checks.h"
#include "storage/embedded/rules/kind_rules.h"
#include "storage/embedded/rules/merge_patch.h"
#include "storage/embedded/rules/object_decode.h"
#include "storage/embedded/rules/object_meta.h"
#include "storage/embedded/rules/object_rules.h"
#include "storage/embedded/rules/strategic_patch.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

absl::Status NotAnObject(kube::PatchType patch_type, const json::value& patch) {
  const bool merge = patch_type == kube::PatchType::kJsonMerge;
  if (merge && patch.is_null()) return kube::ToStatus(kube::BadRequest("Invalid JSON Patch"));
  return kube::ToStatus(kube::BadRequest(StrCat(merge ? "error decoding patch: " : "",
                                                "json: cannot unmarshal ", JsonTypeName(patch),
                                                " into Go value of type map[string]interface {}")));
}

absl::StatusOr<json::object> Patched(const kube::ResourceType& type, const json::object& stored,
                                     kube::PatchType patch_type, const json::value& patch) {
  json::object object = stored;
  if (patch_type == kube::PatchType::kJsonMerge) {
    if (!patch.is_object()) return NotAnObject(patch_type, patch);
    ApplyMergePatch(patch.get_object(), object);
    return object;
  }
  // Kubernetes treats a null as an empty patch, for this patch type alone.
  if (patch.is_null()) return object;
  if (!patch.is_object()) return NotAnObject(patch_type, patch);
  RETURN_IF_ERROR(ApplyStrategicPatch(type, patch.get_object(), object));
  // A strategic merge patch never changes apiVersion and kind, whatever it contains.
  object["apiVersion"] = type.gvk.ApiVersion();
  object["kind"] = type.gvk.kind;
  return object;
}

}  // namespace

absl::Status CheckPatchType(const kube::ResourceType& type, kube::PatchType patch_type) {
  std::vector<std::string> accepted = {"application/merge-patch+json"};
  if (!IsCustomResource(type)) accepted.push_back("application/strategic-merge-patch+json");
  const bool strategic = patch_type == kube::PatchType::kStrategicMerge;
  if (patch_type == kube::PatchType::kJsonMerge || (strategic && !IsCustomResource(type))) {
    return absl::OkStatus();
  }
  kube::Status status = kube::UnsupportedMediaType(accepted);
  if (!strategic) {
    status.message = StrCat(
        "this server does not do ",
        patch_type == kube::PatchType::kApply ? "server-side apply" : "JSON patches (RFC 6902)",
        "; use ", absl::StrJoin(accepted, " or "));
  }
  return kube::ToStatus(status);
}

absl::StatusOr<json::object> ApplyPatch(const kube::ResourceType& type, const json::object& stored,
                                        kube::PatchType patch_type, const json::value& patch) {
  RETURN_IF_ERROR(CheckPatchType(type, patch_type));
  ASSIGN_OR_RETURN(json::object object, Patched(type, stored, patch_type, patch));
  ASSIGN_OR_RETURN(json::object decoded, DecodePatched(type, std::move(object)));
  const json::object& stored_meta = MetaOf(stored);
  json::object& meta = decoded["metadata"].get_object();
  RETURN_IF_ERROR(EnsureNamespace(type, StringAt(stored_meta, "namespace"), meta));
  RETURN_IF_ERROR(CheckSameName(stored_meta, meta));

  // A uid or resourceVersion is a precondition in a PUT, but a change like others in a patch, and
  // refused as such.
  std::vector<kube::StatusCause> causes;
  if (const std::string_view uid = StringAt(meta, "uid");
      !uid.empty() && uid != StringAt(stored_meta, "uid")) {
    causes.push_back({"FieldValueInvalid",
                      StrCat("Invalid value: ", kube::Quote(uid), ": field is immutable"),
                      "metadata.uid"});
  }
  const bool other_version = GvkOf(decoded).ApiVersion() != type.gvk.ApiVersion();
  if (causes.empty() && !other_version) return decoded;
  RETURN_IF_ERROR(CheckSameVersion(type, stored_meta, meta));
  for (kube::StatusCause& cause : TypeCauses(type, decoded)) causes.push_back(std::move(cause));
  return kube::ToStatus(kube::Invalid(GvkOf(decoded), StringAt(meta, "name"), std::move(causes)));
}

}  // namespace steward::storage
