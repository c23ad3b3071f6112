#include "olm/plan/bundle_reference.h"

#include <boost/json/value.hpp>
#include <map>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/splice/gunzip.h"
#include "base/status/macros.h"
#include "base/status/with_context.h"
#include "base/text/str_cat.h"
#include "kube/meta/object_kind.h"
#include "olm/plan/manifest_file.h"
#include "olm/plan/optional_manifests.h"
#include "olm/plan/step_kind.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

// True if `object` is a reference. A real ConfigMap has metadata and an apiVersion.
bool IsReference(const json::object& object) {
  return StringAt(object, "kind") == "ConfigMap" && !object.contains("metadata") &&
         !object.contains("apiVersion");
}

// The first bytes of gzip, plain and in base64, because OLM encodes binaryData in base64 twice.
constexpr std::string_view kGzip = "\x1f\x8b";
constexpr std::string_view kGzipBase64 = "H4sI";

absl::StatusOr<std::string> Unpack(const std::string& packed, size_t& left) {
  std::string text = packed;
  std::string bytes;
  if (text.starts_with(kGzipBase64) && absl::Base64Unescape(text, &bytes)) text = bytes;
  if (text.starts_with(kGzip)) {
    std::optional<std::string> unpacked = Gunzip(text, left);
    if (!unpacked) {
      return absl::InvalidArgumentError("it is no intact gzip, or too much is in it");
    }
    text = *std::move(unpacked);
  }
  if (text.size() > left) {
    return absl::ResourceExhaustedError(
        StrCat("the bundle's manifests are longer than ", kMaxUnpacked, " bytes"));
  }
  left -= text.size();
  return text;
}

// True if the step stands for the manifest. Compares the kind that the manifest says if
// `literally`, else the kind that OLM writes (ObjectKind).
bool IsStandFor(const json::object& manifest, const PlanStep& step, bool literally) {
  const kube::GroupVersionKind said = kube::KindOf(manifest);
  return (literally ? said : ObjectKind(said)) == ObjectKind(step.gvk) &&
         IdentityOf(manifest).name == step.name;
}

void Complete(const BundleReference& reference, json::object& csv) {
  if (!reference.replaces.empty()) {
    json::value& spec = csv["spec"];
    if (!spec.is_object()) spec.emplace_object();
    spec.get_object()["replaces"] = reference.replaces;
  }
  if (reference.properties.empty()) return;
  json::value& metadata = csv["metadata"];
  if (!metadata.is_object()) metadata.emplace_object();
  json::value& annotations = metadata.get_object()["annotations"];
  if (!annotations.is_object()) annotations.emplace_object();
  annotations.get_object()[kPropertiesAnnotation] = reference.properties;
}

}  // namespace

absl::StatusOr<StepManifest> ReadStepManifest(const PlanStep& step) {
  if (step.manifest.empty()) return absl::InvalidArgumentError("the step has no manifest");
  const absl::StatusOr<json::value> value = ParseJson(step.manifest);
  if (!value.ok()) return WithContext("the manifest", value.status());
  if (!value->is_object()) return absl::InvalidArgumentError("the manifest is no object");
  StepManifest manifest;
  if (!IsReference(value->get_object())) {
    manifest.object = value->get_object();
    return manifest;
  }
  const json::object& object = value->get_object();
  BundleReference reference;
  reference.config_map = {std::string(StringAt(object, "namespace")),
                          std::string(StringAt(object, "name"))};
  if (reference.config_map.ns.empty() || reference.config_map.name.empty()) {
    return absl::InvalidArgumentError(
        "the reference to a bundle's ConfigMap must have a name and a namespace");
  }
  reference.replaces = StringAt(object, "replaces");
  reference.properties = StringAt(object, "properties");
  manifest.reference = std::move(reference);
  return manifest;
}

absl::StatusOr<std::vector<json::object>> ReadBundle(const json::object& config_map) {
  std::map<std::string, std::string> texts;  // by key
  size_t left = kMaxUnpacked;
  for (const bool binary : {false, true}) {
    const json::object* data = ObjectAt(config_map, binary ? "binaryData" : "data");
    if (data == nullptr) continue;
    for (const auto& member : *data) {
      const std::string key(View(member.key()));
      if (!member.value().is_string()) {
        return absl::InvalidArgumentError(StrCat(key, " is no string"));
      }
      std::string bytes(View(member.value().get_string()));
      if (binary && !absl::Base64Unescape(std::string(bytes), &bytes)) {
        return absl::InvalidArgumentError(StrCat(key, " is no base64"));
      }
      absl::StatusOr<std::string> text = Unpack(bytes, left);
      if (!text.ok()) return WithContext(key, text.status());
      texts[key] = *std::move(text);
    }
  }
  std::vector<json::object> manifests;
  for (const auto& [key, text] : texts) {
    // Skip the files of metadata/, which are in the ConfigMap, too, and are not manifests.
    ManifestFile file = ReadManifestFile(text, kMaxUnpacked);
    if (file.left_out.empty()) manifests.push_back(std::move(file.object));
  }
  return manifests;
}

absl::StatusOr<json::object> FindManifest(const std::vector<json::object>& bundle,
                                          const PlanStep& step, const BundleReference& reference) {
  for (const bool literally : {true, false}) {
    for (const json::object& manifest : bundle) {
      if (!IsStandFor(manifest, step, literally)) continue;
      json::object found = manifest;
      if (StepKindOf(step.gvk) == StepKind::kCsv) Complete(reference, found);
      return found;
    }
  }
  return absl::NotFoundError(StrCat("it has no ", step.gvk.kind, " ", step.name, " of ",
                                    ObjectKind(step.gvk).ApiVersion()));
}

}  // namespace steward::olm
