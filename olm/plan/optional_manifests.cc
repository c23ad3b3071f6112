#include "olm/plan/optional_manifests.h"

#include <algorithm>
#include <boost/json/value.hpp>
#include <cstddef>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"
#include "kube/meta/object_kind.h"

namespace steward::olm {
namespace json = boost::json;
namespace {

absl::Status Bad(std::string_view path, std::string_view why) {
  return absl::InvalidArgumentError(StrCat(path, ": ", why));
}

absl::StatusOr<std::string> Text(const json::object& entry, const std::string& path,
                                 std::string_view key, bool required) {
  const json::value* value = entry.if_contains(key);
  if (!required && (value == nullptr || value->is_null())) return std::string();
  if (value == nullptr || !value->is_string() || (required && value->get_string().empty())) {
    return Bad(StrCat(path, ".", key),
               required ? "must be a string that is not empty" : "must be a string");
  }
  return std::string(View(value->get_string()));
}

absl::StatusOr<ManifestIdentity> ReadEntry(const json::value& value, const std::string& path) {
  if (!value.is_object()) return Bad(path, "must be an object");
  const json::object& entry = value.get_object();
  ManifestIdentity identity;
  ASSIGN_OR_RETURN(identity.group, Text(entry, path, "group", false));
  // "autoscaling.k8s.io/v1" names the group autoscaling.k8s.io (R-002-64).
  identity.group.resize(std::min(identity.group.size(), identity.group.find('/')));
  ASSIGN_OR_RETURN(identity.kind, Text(entry, path, "kind", true));
  ASSIGN_OR_RETURN(identity.ns, Text(entry, path, "namespace", false));
  ASSIGN_OR_RETURN(identity.name, Text(entry, path, "name", true));
  return identity;
}

}  // namespace

std::string ManifestIdentity::ToString() const {
  return StrCat(kind, group.empty() ? "" : ".", group, " ", ns, ns.empty() ? "" : "/", name);
}

ManifestIdentity IdentityOf(const json::object& manifest) {
  ManifestIdentity identity;
  kube::GroupVersionKind gvk = kube::KindOf(manifest);
  identity.group = std::move(gvk.group);
  identity.kind = std::move(gvk.kind);
  const json::object* metadata = ObjectAt(manifest, "metadata");
  if (metadata == nullptr) return identity;
  identity.ns = StringAt(*metadata, "namespace");
  identity.name = StringAt(*metadata, "name");
  if (identity.name.empty()) identity.name = StringAt(*metadata, "generateName");
  return identity;
}

absl::Status OptionalManifests::AddText(std::string_view text) {
  if (text.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text));
  if (!value.is_object()) return Bad("properties", "must be in an object");
  const json::value* properties = value.get_object().if_contains("properties");
  if (properties == nullptr || properties->is_null()) return absl::OkStatus();
  if (!properties->is_array()) return Bad("properties", "must be a list");
  return AddProperties(properties->get_array());
}

absl::Status OptionalManifests::AddProperties(const json::array& properties) {
  std::set<ManifestIdentity> added;
  for (size_t i = 0; i < properties.size(); ++i) {
    const std::string path = StrCat("properties[", i, "]");
    if (!properties[i].is_object()) return Bad(path, "must be an object");
    const json::object& property = properties[i].get_object();
    ASSIGN_OR_RETURN(const std::string type, Text(property, path, "type", true));
    if (type != kOptionalManifestsProperty) continue;
    const json::object* value = ObjectAt(property, "value");
    if (value == nullptr) return Bad(path + ".value", "must be an object");
    const json::value* manifests = value->if_contains("manifests");
    if (manifests == nullptr || !manifests->is_array()) {
      return Bad(path + ".value.manifests", "must be a list");
    }
    const json::array& list = manifests->get_array();
    for (size_t j = 0; j < list.size(); ++j) {
      ASSIGN_OR_RETURN(ManifestIdentity entry,
                       ReadEntry(list[j], StrCat(path, ".value.manifests[", j, "]")));
      added.insert(std::move(entry));
    }
    if (entries_.size() + added.size() > kMaxEntries) {
      return Bad(path, StrCat("there are more than ", kMaxEntries, " optional manifests"));
    }
  }
  entries_.merge(added);
  return absl::OkStatus();
}

}  // namespace steward::olm
