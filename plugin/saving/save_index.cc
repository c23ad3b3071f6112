#include "plugin/saving/save_index.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr char kApiVersion[] = "steward.operatorframework.io/v1";
constexpr char kKind[] = "SavedOperands";

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("not an index of saved operands: ", what));
}

absl::StatusOr<std::string> NeededText(const json::object& object, std::string_view key) {
  std::string text(StringAt(object, key));
  if (text.empty()) return Wrong(StrCat("no ", key));
  return text;
}

json::object EncodeResource(const SavedResource& resource) {
  json::array objects;
  for (const kube::NamespacedName& name : resource.objects) {
    json::object object;
    if (!name.ns.empty()) object["namespace"] = name.ns;
    object["name"] = name.name;
    objects.push_back(std::move(object));
  }
  return {{"definition", resource.crd},       {"group", resource.gvk.group},
          {"version", resource.gvk.version},  {"kind", resource.gvk.kind},
          {"plural", resource.plural},        {"clusterScoped", resource.cluster_scoped},
          {"count", resource.objects.size()}, {"objects", std::move(objects)}};
}

absl::StatusOr<kube::NamespacedName> DecodeName(const json::value& value, bool cluster_scoped) {
  if (!value.is_object()) return Wrong("an entry that is no object");
  kube::NamespacedName name{std::string(StringAt(value.get_object(), "namespace")),
                            std::string(StringAt(value.get_object(), "name"))};
  if (name.name.empty() || !kube::IsPathSegmentName(name.name)) return Wrong("a name is no name");
  if (name.ns.empty() != cluster_scoped) return Wrong("a namespace too few or too many");
  if (!cluster_scoped && !kube::IsDns1123Label(name.ns)) return Wrong("a namespace is no name");
  return name;
}

absl::StatusOr<SavedResource> DecodeResource(const json::object& object) {
  SavedResource resource;
  ASSIGN_OR_RETURN(resource.crd, NeededText(object, "definition"));
  ASSIGN_OR_RETURN(resource.gvk.group, NeededText(object, "group"));
  ASSIGN_OR_RETURN(resource.gvk.version, NeededText(object, "version"));
  ASSIGN_OR_RETURN(resource.gvk.kind, NeededText(object, "kind"));
  ASSIGN_OR_RETURN(resource.plural, NeededText(object, "plural"));
  resource.cluster_scoped = BoolAt(object, "clusterScoped");
  if (resource.crd != StrCat(resource.plural, ".", resource.gvk.group) ||
      !kube::IsDns1123Subdomain(resource.crd) || !kube::IsPathSegmentName(resource.gvk.version)) {
    return Wrong(StrCat("a definition called \"", resource.crd, "\""));
  }
  const json::array* objects = ArrayAt(object, "objects");
  if (objects == nullptr) return Wrong("no objects");
  for (const json::value& value : *objects) {
    ASSIGN_OR_RETURN(kube::NamespacedName name, DecodeName(value, resource.cluster_scoped));
    resource.objects.push_back(std::move(name));
  }
  const json::value* count = object.if_contains("count");
  if (count == nullptr || *count != json::value(resource.objects.size())) {
    return Wrong(StrCat("the count of ", resource.crd, " is not that of its objects"));
  }
  return resource;
}

}  // namespace

size_t SaveIndex::objects() const {
  size_t sum = 0;
  for (const SavedResource& resource : resources) sum += resource.objects.size();
  return sum;
}

std::string EncodeIndex(const SaveIndex& index) {
  json::array resources;
  for (const SavedResource& resource : index.resources) {
    resources.push_back(EncodeResource(resource));
  }
  const json::object csv = {
      {"namespace", index.csv.ns}, {"name", index.csv.name}, {"uid", index.csv_uid}};
  const json::value value = {{"apiVersion", kApiVersion},        {"kind", kKind},
                             {"clusterServiceVersion", csv},     {"savedAt", index.saved_at},
                             {"complete", index.complete},       {"count", index.objects()},
                             {"resources", std::move(resources)}};
  return StrCat(IndentJson(Serialize(value)), "\n");
}

absl::StatusOr<SaveIndex> DecodeIndex(std::string_view text) {
  JsonLimits limits;
  limits.max_size = kMaxIndexBytes;
  limits.refuse_duplicate_keys = true;
  absl::StatusOr<json::value> value = ParseJson(text, limits);
  if (!value.ok()) return Wrong(ToStd(value.status().message()));
  const json::object* root = value->if_object();
  if (root == nullptr || StringAt(*root, "apiVersion") != kApiVersion ||
      StringAt(*root, "kind") != kKind) {
    return Wrong(StrCat("apiVersion and kind are not ", kApiVersion, " ", kKind));
  }
  const json::object* csv = ObjectAt(*root, "clusterServiceVersion");
  const json::array* resources = ArrayAt(*root, "resources");
  if (csv == nullptr || resources == nullptr) return Wrong("no operator, or no resources");
  SaveIndex index;
  ASSIGN_OR_RETURN(index.csv.ns, NeededText(*csv, "namespace"));
  ASSIGN_OR_RETURN(index.csv.name, NeededText(*csv, "name"));
  ASSIGN_OR_RETURN(index.csv_uid, NeededText(*csv, "uid"));
  index.saved_at = StringAt(*root, "savedAt");
  index.complete = BoolAt(*root, "complete");
  for (const json::value& each : *resources) {
    if (!each.is_object()) return Wrong("an entry that is no object");
    ASSIGN_OR_RETURN(SavedResource resource, DecodeResource(each.get_object()));
    index.resources.push_back(std::move(resource));
  }
  return index;
}

}  // namespace steward::plugin
