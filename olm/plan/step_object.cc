#include "olm/plan/step_object.h"

#include <algorithm>
#include <array>
#include <boost/json/array.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "base/digest/digest.h"
#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "olm/cleanup/names.h"
#include "olm/resources.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

// Steward's own: marks of cleanups, and the label that widens the rights of its controllers.
constexpr std::array<std::string_view, 2> kSteward = {"steward.operatorframework.io",
                                                      "steward.operators.coreos.com"};
// Labels and annotations by which OLM keeps its books: what a bundle says there would be believed.
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
// The digits of the digest that takes the place of a server's random suffix.
constexpr size_t kSuffix = 10;

// The domain of a key with a prefix: "a.b" of "a.b/c".
std::string_view PrefixOf(std::string_view key) { return key.substr(0, key.find('/')); }

bool IsReserved(std::string_view key) {
  if (std::find(kBooks.begin(), kBooks.end(), key) != kBooks.end()) return true;
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

json::object& ObjectIn(json::object& parent, std::string_view key) {
  json::value& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

// Members of the live map that the wanted one does not have.
void KeepMissing(const json::object& live, json::object& wanted, std::string_view key) {
  const json::object* before = ObjectAt(live, key);
  if (before == nullptr || before->empty()) return;
  json::object& after = ObjectIn(wanted, key);
  for (const auto& member : *before) after.emplace(member.key(), member.value());
}

void Keep(const json::object& live, json::object& wanted, std::string_view key) {
  if (const json::value* value = live.if_contains(key)) wanted[key] = *value;
}

// Entries of the live list of references that the wanted one does not name, by UID.
void KeepOwners(const json::object& live, json::object& wanted) {
  const json::array* before = ArrayAt(live, "ownerReferences");
  if (before == nullptr || before->empty()) return;
  json::array owners = *before;
  if (const json::array* added = ArrayAt(wanted, "ownerReferences")) {
    for (const json::value& owner : *added) {
      const std::string_view uid =
          owner.is_object() ? StringAt(owner.get_object(), "uid") : std::string_view();
      const bool known = std::any_of(before->begin(), before->end(), [uid](const json::value& one) {
        return one.is_object() && StringAt(one.get_object(), "uid") == uid;
      });
      if (!known) owners.push_back(owner);
    }
  }
  wanted["ownerReferences"] = std::move(owners);
}

// Entries of the live list that are not in the wanted one, whole.
void KeepEntries(const json::object& live, json::object& wanted, std::string_view key) {
  const json::array* before = ArrayAt(live, key);
  if (before == nullptr || before->empty()) return;
  json::value& value = wanted[key];
  if (!value.is_array()) value.emplace_array();
  json::array& after = value.get_array();
  for (const json::value& entry : *before) {
    if (std::find(after.begin(), after.end(), entry) == after.end()) after.push_back(entry);
  }
}

// True if each member of `wanted` is in `live`: what others added to metadata is no difference.
bool IsWithin(const json::object& wanted, const json::object& live) {
  return std::all_of(wanted.begin(), wanted.end(), [&live](const json::key_value_pair& member) {
    const json::value* there = live.if_contains(member.key());
    if (there == nullptr) return false;
    if (member.value().is_object() && there->is_object()) {
      return IsWithin(member.value().get_object(), there->get_object());
    }
    return member.value() == *there;
  });
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
  if (!owner.uid.empty() && ns.empty()) {
    labels[kOwnerLabel] = owner.csv.name;
    labels[kOwnerNamespaceLabel] = owner.csv.ns;
    labels[kOwnerKindLabel] = json::string(kOwnerKind);
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
  if (!annotations.empty()) kept["annotations"] = std::move(annotations);
  object["metadata"] = std::move(kept);
  for (const auto& member : manifest) {
    const std::string_view key = View(member.key());
    if (key == "apiVersion" || key == "kind" || key == "metadata" || key == "status") continue;
    // A directive of strategic merge patches: "$patch: replace" would drop finalizers and owners.
    if (key.starts_with('$')) continue;
    object[key] = member.value();
  }
  return object;
}

void Disown(const json::object& live, json::object& wanted) {
  const json::object* before = ObjectAt(live, "metadata");
  const json::object* labels = before == nullptr ? nullptr : ObjectAt(*before, "labels");
  if (labels != nullptr && StringAt(*labels, kManagedLabel) == "true") return;
  json::object& metadata = ObjectIn(wanted, "metadata");
  metadata.erase("ownerReferences");
  json::object& own = ObjectIn(metadata, "labels");
  for (const std::string_view book : kBooks) own.erase(book);
}

json::object Adopt(const json::object& live, json::object wanted) {
  json::object& metadata = ObjectIn(wanted, "metadata");
  if (const json::object* before = ObjectAt(live, "metadata")) {
    Keep(*before, metadata, "uid");
    Keep(*before, metadata, "resourceVersion");
    Keep(*before, metadata, "finalizers");
    KeepMissing(*before, metadata, "labels");
    KeepMissing(*before, metadata, "annotations");
    KeepOwners(*before, metadata);
  }
  Keep(live, wanted, "status");
  return wanted;
}

json::object AdoptDefinition(const json::object& live, json::object wanted) {
  const json::object* before = ObjectAt(live, "spec");
  const json::value* conversion = before == nullptr ? nullptr : before->if_contains("conversion");
  json::object& spec = ObjectIn(wanted, "spec");
  if (conversion != nullptr && !spec.contains("conversion")) spec["conversion"] = *conversion;
  return Adopt(live, std::move(wanted));
}

json::object AdoptServiceAccount(const json::object& live, json::object wanted) {
  KeepEntries(live, wanted, "secrets");
  KeepEntries(live, wanted, "imagePullSecrets");
  return Adopt(live, std::move(wanted));
}

bool IsUnchanged(const json::object& live, const json::object& wanted) {
  const json::object* before = ObjectAt(live, "metadata");
  const json::object* after = ObjectAt(wanted, "metadata");
  if (before == nullptr || after == nullptr || !IsWithin(*after, *before)) return false;
  json::object left = live;
  json::object right = wanted;
  left.erase("metadata");
  right.erase("metadata");
  return left == right;
}

}  // namespace steward::olm
