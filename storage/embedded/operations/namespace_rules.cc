#include "storage/embedded/operations/namespace_rules.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <optional>

#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"
#include "storage/embedded/types/builtin_types.h"

namespace steward::storage {
namespace json = boost::json;
namespace {

constexpr std::string_view kFinalizer = "kubernetes";
constexpr std::string_view kNameLabel = "kubernetes.io/metadata.name";

json::object& ObjectIn(json::object& parent, std::string_view key) {
  json::value& value = parent[key];
  if (!value.is_object()) value.emplace_object();
  return value.get_object();
}

json::array& ArrayIn(json::object& parent, std::string_view key) {
  json::value& value = parent[key];
  if (!value.is_array()) value.emplace_array();
  return value.get_array();
}

const json::array* SpecFinalizers(const json::object& object) {
  const json::value* spec = object.if_contains("spec");
  if (spec == nullptr || !spec->is_object()) return nullptr;
  const json::value* finalizers = spec->get_object().if_contains("finalizers");
  return finalizers != nullptr && finalizers->is_array() ? &finalizers->get_array() : nullptr;
}

void SetNameLabel(json::object& object) {
  json::object& metadata = ObjectIn(object, "metadata");
  ObjectIn(metadata, "labels")[kNameLabel] = metadata["name"];
}

}  // namespace

absl::Status CheckNamespaceAdmits(Transaction& transaction, const kube::ResourceType& type,
                                  const std::string& ns, const std::string& name) {
  const kube::ResourceType* namespaces = transaction.catalog().FindStored(kNamespaces);
  ASSIGN_OR_RETURN(const std::optional<json::object> found, transaction.Get(*namespaces, ns));
  if (!found.has_value()) {
    return kube::ToStatus(kube::NotFound({"", "v1", std::string(kNamespaces)}, ns));
  }
  if (!found->at("metadata").as_object().contains("deletionTimestamp")) return absl::OkStatus();
  kube::Status status = kube::Forbidden(
      type.gvr(), name,
      StrCat("unable to create new content in namespace ", ns, " because it is being terminated"));
  status.causes.push_back({"NamespaceTerminating", StrCat("namespace ", ns, " is being terminated"),
                           "metadata.namespace"});
  return kube::ToStatus(status);
}

void CompleteNamespace(json::object& object) {
  ArrayIn(ObjectIn(object, "spec"), "finalizers") = json::array{kFinalizer};
  ObjectIn(object, "status")["phase"] = "Active";
  SetNameLabel(object);
}

void KeepNamespaceSpec(const json::object& stored, json::object& updated) {
  if (const json::value* spec = stored.if_contains("spec")) {
    updated["spec"] = *spec;
  } else {
    updated.erase("spec");
  }
  const json::value* metadata = updated.if_contains("metadata");
  // An object that is no Namespace at all is refused later, with a list of the missing members.
  if (metadata == nullptr || !metadata->is_object()) return;
  if (metadata->get_object().contains("name")) SetNameLabel(updated);
}

bool HasNamespaceFinalizer(const json::object& object) {
  const json::array* finalizers = SpecFinalizers(object);
  return finalizers != nullptr && !finalizers->empty();
}

void RemoveNamespaceFinalizer(json::object& object) {
  ObjectIn(object, "spec").erase("finalizers");
}

void SetNamespaceTerminating(json::object& object) {
  ObjectIn(object, "status")["phase"] = "Terminating";
}

void AddFinalizer(std::string_view finalizer, json::object& object) {
  json::array& finalizers = ArrayIn(ObjectIn(object, "metadata"), "finalizers");
  const json::value value(finalizer);
  if (std::find(finalizers.begin(), finalizers.end(), value) == finalizers.end()) {
    finalizers.push_back(value);
  }
}

}  // namespace steward::storage
