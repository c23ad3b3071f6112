#include "apiserver/discovery/openapi_v3.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "apiserver/discovery/meta_schemas.h"
#include "apiserver/discovery/openapi_parts.h"
#include "apiserver/discovery/openapi_paths.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

// A reference with a description beside it.
json::object DescribedRef(std::string_view description, std::string_view schema) {
  return {{"description", json::string_view(description.data(), description.size())},
          {"default", json::object()},
          {"allOf", json::array{Ref(schema)}}};
}

json::object Text(std::string_view description) {
  return {{"description", json::string_view(description.data(), description.size())},
          {"type", "string"}};
}

json::object ListSchema(const kube::GroupVersionKind& gvk) {
  const kube::GroupVersionKind list_gvk{gvk.group, gvk.version, gvk.kind + "List"};
  return {
      {"description", StrCat("A list of objects of kind ", gvk.kind, ".")},
      {"type", "object"},
      {"required", json::array{"items"}},
      {"properties",
       {{"apiVersion", Text("Group and version of this list's form.")},
        {"items",
         {{"description", "The objects, ordered by namespace and name."},
          {"type", "array"},
          {"items", {{"default", json::object()}, {"allOf", json::array{Ref(SchemaName(gvk))}}}}}},
        {"kind", Text("The kind of this list.")},
        {"metadata", DescribedRef("What the list says about itself.", kListMeta)}}},
      {"x-kubernetes-group-version-kind", json::array{Gvk(list_gvk)}}};
}

absl::Status AddKind(const rest::Resource& resource, json::object& schemas) {
  const kube::GroupVersionKind& gvk = resource.descriptor.gvk;
  ASSIGN_OR_RETURN(json::value schema, ParseJson(resource.openapi_schema));
  if (!schema.is_object()) {
    return absl::InvalidArgumentError(StrCat("the schema of ", gvk.kind, " is not an object"));
  }
  schema.get_object()["x-kubernetes-group-version-kind"] = json::array{Gvk(gvk)};
  const std::string name = SchemaName(gvk);
  schemas[name] = std::move(schema);
  schemas[name + "List"] = ListSchema(gvk);
  return absl::OkStatus();
}

absl::Status AddSchemas(std::string_view by_name, json::object& schemas) {
  ASSIGN_OR_RETURN(const json::value parsed, ParseJson(by_name));
  for (const auto& [name, schema] : parsed.as_object()) schemas[name] = schema;
  return absl::OkStatus();
}

bool HasWrites(const ServedVersion& version) {
  for (const rest::Resource* resource : version.resources) {
    if (resource->Creates() || resource->update != nullptr || resource->patch != nullptr ||
        resource->del != nullptr) {
      return true;
    }
    for (const rest::Subresource& subresource : resource->subresources) {
      if (subresource.update != nullptr || subresource.patch != nullptr) return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<json::object> OpenApiV3(const ServedVersion& version,
                                       const std::string& document_version) {
  json::object paths, schemas;
  for (const rest::Resource* resource : version.resources) {
    WritePaths(*resource, paths);
    RETURN_IF_ERROR(AddKind(*resource, schemas));
  }
  RETURN_IF_ERROR(AddSchemas(MetaSchemas(), schemas));
  if (HasWrites(version)) RETURN_IF_ERROR(AddSchemas(WriteSchemas(), schemas));
  return json::object{{"openapi", "3.0.0"},
                      {"info", {{"title", "Steward"}, {"version", document_version}}},
                      {"paths", std::move(paths)},
                      {"components", {{"schemas", std::move(schemas)}}}};
}

}  // namespace steward::discovery
