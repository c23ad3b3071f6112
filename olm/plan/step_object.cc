#include "olm/plan/step_object.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/label_syntax.h"
#include "olm/alongside.h"
#include "olm/cleanup/names.h"
#include "olm/resources.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

// Steward's own: marks of cleanups, and the label that widens the rights of its controllers.
constexpr std::array<std::string_view, 2> kSteward = {"steward.operatorframework.io",
                                                      "steward.operators.coreos.com"};
// Labels and annotations with which OLM keeps its books. A bundle must not set them, because OLM
// would believe them.
constexpr std::array<std::string_view, 11> kBooks = {kManagedLabel,
                                                     kOwnerLabel,
                                                     kOwnerNamespaceLabel,
                                                     kOwnerKindLabel,
                                                     "olm.copiedFrom",
                                                     "olm.operatorGroup",
                                                     "olm.operatorNamespace",
                                                     "olm.targetNamespaces",
                                                     "olm.generated-by",
                                                     "olm.providedAPIs",
                                                     "olm.opgroup.permissions/namespace"};
constexpr size_t kMaxKeys = 32 << 10;  // bytes of the annotation kManifestKeys
// The digits of the digest that replaces the random suffix of generateName.
constexpr size_t kSuffix = 10;

// The domain of a key with a prefix: "a.b" of "a.b/c".
std::string_view PrefixOf(std::string_view key) { return key.substr(0, key.find('/')); }

bool IsReserved(std::string_view key) {
  if (std::find(kBooks.begin(), kBooks.end(), key) != kBooks.end()) return true;
  if (key == kManifestKeys || key.starts_with(kAlongside)) return true;
  const std::string_view prefix = PrefixOf(key);
  return std::any_of(kSteward.begin(), kSteward.end(), [prefix](std::string_view own) {
    return prefix == own || prefix.ends_with(StrCat(".", own));
  });
}

absl::StatusOr<json::object> KeptOf(const json::object& metadata, std::string_view key) {
  json::object kept;
  const json::value* value = metadata.if_contains(key);
  if (value == nullptr || value->is_null()) return kept;
  if (!value->is_object()) {
    return absl::InvalidArgumentError(StrCat("metadata.", key, ": must be an object"));
  }
  for (const auto& member : value->get_object()) {
    const std::string_view name = View(member.key());
    if (!member.value().is_string()) {
      return absl::InvalidArgumentError(StrCat("metadata.", key, ".", name, ": must be a string"));
    }
    if (!IsReserved(name)) kept[name] = member.value();
  }
  return kept;
}

absl::StatusOr<std::string> NameOf(const json::object& metadata, const kube::GroupVersionKind& gvk,
                                   const StepOwner& owner) {
  const std::string_view name = StringAt(metadata, "name");
  if (!name.empty()) return std::string(name);
  const std::string_view prefix = StringAt(metadata, "generateName");
  if (prefix.empty()) return absl::InvalidArgumentError("metadata.name: must not be empty");
  const std::string digest = absl::BytesToHexString(Sha256(
      StrCat(gvk.group, "/", gvk.kind, "/", prefix, "/", owner.csv.ns, "/", owner.csv.name)));
  return StrCat(prefix, digest.substr(0, kSuffix));
}

// True if the manifest has the OwnerLabels of `owner`, so it was made from the owner's permissions.
bool IsOfPermissions(const json::object& metadata, const kube::GroupVersionKind& gvk,
                     const StepOwner& owner) {
  if (gvk.group != "rbac.authorization.k8s.io") return false;
  const json::object* labels = ObjectAt(metadata, "labels");
  if (labels == nullptr) return false;
  const json::object wanted = OwnerLabels(owner.csv);
  return !wanted.empty() && std::all_of(wanted.begin(), wanted.end(), [labels](const auto& member) {
    const json::value* said = labels->if_contains(member.key());
    return said != nullptr && *said == member.value();
  });
}

bool HasKeys(const kube::GroupVersionKind& gvk) {
  return gvk.group.empty() && (gvk.kind == "ConfigMap" || gvk.kind == "Secret");
}

// Merges stringData into data, as a server does. Leaves values of another type for the server to
// refuse.
void FoldStringData(json::object& secret) {
  const json::object* texts = ObjectAt(secret, "stringData");
  if (texts == nullptr) return;
  json::object data;
  if (const json::object* before = ObjectAt(secret, "data")) data = *before;
  for (const auto& member : *texts) {
    if (!member.value().is_string()) return;
    const json::string& text = member.value().get_string();
    data[member.key()] = absl::Base64Escape(absl::string_view(text.data(), text.size()));
  }
  secret.erase("stringData");
  secret["data"] = std::move(data);
}

// The sorted keys, joined by commas; nullopt if the text would exceed kMaxKeys.
std::optional<std::string> KeysText(const json::object& object) {
  std::set<std::string> keys;
  for (const std::string_view map : {"data", "binaryData"}) {
    const json::object* members = ObjectAt(object, map);
    if (members == nullptr) continue;
    for (const auto& member : *members) keys.emplace(member.key());
  }
  std::string text = absl::StrJoin(keys, ",");
  if (text.size() > kMaxKeys) return std::nullopt;
  return text;
}

}  // namespace

absl::StatusOr<json::object> StepObject(const json::object& manifest,
                                        const kube::GroupVersionKind& gvk, const std::string& ns,
                                        const StepOwner& owner) {
  const json::object* metadata = ObjectAt(manifest, "metadata");
  if (metadata == nullptr) return absl::InvalidArgumentError("metadata: must be an object");
  if (gvk.kind.empty() || gvk.version.empty()) {
    return absl::InvalidArgumentError("the step names no kind and version");
  }
  json::object object = {{"apiVersion", gvk.ApiVersion()}, {"kind", gvk.kind}};
  json::object kept;
  ASSIGN_OR_RETURN(const std::string name, NameOf(*metadata, gvk, owner));
  kept["name"] = name;
  if (!ns.empty()) kept["namespace"] = ns;
  ASSIGN_OR_RETURN(json::object labels, KeptOf(*metadata, "labels"));
  ASSIGN_OR_RETURN(json::object annotations, KeptOf(*metadata, "annotations"));
  labels[kManagedLabel] = "true";
  if (!owner.uid.empty() && (ns.empty() || IsOfPermissions(*metadata, gvk, owner))) {
    for (const auto& label : OwnerLabels(owner.csv)) labels[label.key()] = label.value();
  }
  if (!owner.uid.empty() && !ns.empty()) {
    json::object reference = {{"apiVersion", kCsvKind.ApiVersion()},
                              {"kind", kCsvKind.kind},
                              {"name", owner.csv.name},
                              {"uid", owner.uid},
                              {"controller", false},
                              {"blockOwnerDeletion", false}};
    kept["ownerReferences"] = json::array({json::value(std::move(reference))});
  }
  kept["labels"] = std::move(labels);
  for (const auto& member : manifest) {
    const std::string_view key = View(member.key());
    if (key == "apiVersion" || key == "kind" || key == "metadata" || key == "status") continue;
    // A directive of strategic merge patches: "$patch: replace" would drop finalizers and owners.
    if (key.starts_with('$')) continue;
    object[key] = member.value();
  }
  if (HasKeys(gvk)) {
    if (gvk.kind == "Secret") FoldStringData(object);
    const std::optional<std::string> keys = KeysText(object);
    if (keys && !keys->empty()) annotations[kManifestKeys] = *keys;
  }
  if (!annotations.empty()) kept["annotations"] = std::move(annotations);
  object["metadata"] = std::move(kept);
  return object;
}

json::object OwnerLabels(const kube::NamespacedName& csv) {
  if (!kube::LabelValueProblem(csv.name).empty()) return {};
  return {{kOwnerLabel, csv.name},
          {kOwnerNamespaceLabel, csv.ns},
          {kOwnerKindLabel, json::string(kOwnerKind)}};
}

std::set<std::string> ManifestKeys(const json::object& object) {
  const json::object* metadata = ObjectAt(object, "metadata");
  const json::object* annotations =
      metadata == nullptr ? nullptr : ObjectAt(*metadata, "annotations");
  const std::string_view text =
      annotations == nullptr ? std::string_view() : StringAt(*annotations, kManifestKeys);
  return absl::StrSplit(absl::string_view(text.data(), text.size()), ',', absl::SkipEmpty());
}

void DropBooks(json::object& labels) {
  for (const std::string_view book : kBooks) labels.erase(book);
}

}  // namespace steward::olm
