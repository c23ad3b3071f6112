#include "plugin/saving/saved_object.h"

#include <boost/json/object.hpp>
#include <utility>

#include "base/json/json_access.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"
#include "plugin/cluster/reads.h"

namespace steward::plugin {
namespace {

namespace json = boost::json;

constexpr const char* kServerSet[] = {
    "uid",           "resourceVersion",           "generation",
    "selfLink",      "creationTimestamp",         "deletionTimestamp",
    "managedFields", "deletionGracePeriodSeconds"};

absl::Status Wrong(std::string_view what) {
  return absl::InvalidArgumentError(StrCat("not what was saved: ", what));
}

}  // namespace

absl::StatusOr<std::string> SavedYaml(std::string_view json) {
  ASSIGN_OR_RETURN(json::value value, ParseObject(json));
  json::object& object = value.get_object();
  json::value* metadata = object.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object() || StringAt(object, "kind").empty() ||
      StringAt(object, "apiVersion").empty()) {
    return absl::DataLossError("an object without kind, apiVersion or metadata");
  }
  for (const char* key : kServerSet) metadata->get_object().erase(key);
  std::string yaml;
  WriteYaml(value, yaml);
  if (yaml.size() > kMaxSavedBytes) {
    return absl::ResourceExhaustedError("an object of more than 16 MiB");
  }
  return yaml;
}

absl::StatusOr<json::value> ObjectToRestore(std::string_view yaml, const SavedResource& resource,
                                            const kube::NamespacedName& name) {
  YamlLimits limits;
  limits.max_size = kMaxSavedBytes;
  absl::StatusOr<json::value> value = ParseYaml(yaml, limits);
  if (!value.ok()) return Wrong(ToStd(value.status().message()));
  if (!value->is_object()) return Wrong("no object");
  json::object& object = value->get_object();
  json::value* metadata = object.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return Wrong("no metadata");
  if (StringAt(object, "apiVersion") != resource.gvk.ApiVersion() ||
      StringAt(object, "kind") != resource.gvk.kind) {
    return Wrong(StrCat("it is no ", resource.gvk.kind, " of ", resource.gvk.ApiVersion()));
  }
  json::object& fields = metadata->get_object();
  if (StringAt(fields, "name") != name.name || StringAt(fields, "namespace") != name.ns) {
    return Wrong("it has another name or namespace than its file");
  }
  for (const char* key : kServerSet) fields.erase(key);
  fields.erase("finalizers");
  fields.erase("ownerReferences");
  object.erase("status");
  return value;
}

}  // namespace steward::plugin
