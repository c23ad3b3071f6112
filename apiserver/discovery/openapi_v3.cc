#include "apiserver/discovery/openapi_v3.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_split.h"
#include "apiserver/discovery/meta_schemas.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

json::object Ref(std::string_view schema) {
  return {{"$ref", StrCat("#/components/schemas/", schema)}};
}

// A reference with a description of its own beside it.
json::object DescribedRef(std::string_view description, std::string_view schema) {
  return {{"description", json::string_view(description.data(), description.size())},
          {"default", json::object()},
          {"allOf", json::array{Ref(schema)}}};
}

json::object Text(std::string_view description) {
  return {{"description", json::string_view(description.data(), description.size())},
          {"type", "string"}};
}

json::object Gvk(const kube::GroupVersionKind& gvk) {
  return {{"group", gvk.group}, {"version", gvk.version}, {"kind", gvk.kind}};
}

json::object Parameter(std::string_view name, std::string_view in, std::string_view type,
                       std::string_view description) {
  json::object parameter{
      {"name", json::string_view(name.data(), name.size())},
      {"in", json::string_view(in.data(), in.size())},
      {"description", json::string_view(description.data(), description.size())}};
  if (in == "path") parameter["required"] = true;
  parameter["schema"] =
      json::object{{"type", json::string_view(type.data(), type.size())}, {"uniqueItems", true}};
  return parameter;
}

constexpr std::string_view kVersionHelp =
    "Which state may be shown: absent = the newest, 0 = any, a number = that or a newer one.";

json::array ListParameters() {
  return {
      Parameter("fieldSelector", "query", "string", "Show only objects whose fields match."),
      Parameter("labelSelector", "query", "string", "Show only objects whose labels match."),
      Parameter("limit", "query", "integer",
                "How many items the client would like at most. The server may answer with all."),
      Parameter("resourceVersion", "query", "string", kVersionHelp),
      Parameter(
          "resourceVersionMatch", "query", "string",
          "How resourceVersion is meant: NotOlderThan, or Exact for that state and no other."),
  };
}

json::array GetParameters() {
  return {Parameter("resourceVersion", "query", "string", kVersionHelp)};
}

// Those of every operation on a path.
json::array PathParameters(bool namespaced, bool named, bool pretty) {
  json::array parameters;
  if (named) parameters.push_back(Parameter("name", "path", "string", "Name of the object."));
  if (namespaced) {
    parameters.push_back(Parameter("namespace", "path", "string", "Namespace of the object."));
  }
  if (pretty) {
    parameters.push_back(
        Parameter("pretty", "query", "string",
                  "Indent the output. Browsers, curl and wget get that unless they say false."));
  }
  return parameters;
}

json::object Responses(const std::vector<std::string>& media_types, const json::object& schema) {
  json::object content;
  for (const std::string& media_type : media_types) {
    content[media_type] = json::object{{"schema", schema}};
  }
  return {{"200", {{"description", "OK"}, {"content", std::move(content)}}},
          {"401", {{"description", "Unauthorized"}}}};
}

// "viewsExampleComV1", as operation IDs and tags are spelled.
std::string CamelCase(std::string_view group, std::string_view version) {
  std::string out;
  bool upper = false;
  for (char c : StrCat(group, ".", version)) {
    if (c == '.' || c == '-') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return out;
}

// Describes the reads of one resource.
class PathWriter {
 public:
  PathWriter(const rest::Resource& resource, json::object& paths)
      : resource_(resource),
        gvk_(resource.descriptor.gvk),
        group_version_(CamelCase(gvk_.group, gvk_.version)),
        paths_(paths) {}

  void Write() {
    const rest::Descriptor& descriptor = resource_.descriptor;
    const std::string root = StrCat("/apis/", gvk_.group, "/", gvk_.version);
    const std::string all = StrCat(root, "/", descriptor.plural);
    const bool namespaced = descriptor.namespaced;
    const std::string scoped =
        namespaced ? StrCat(root, "/namespaces/{namespace}/", descriptor.plural) : all;
    if (resource_.list != nullptr) {
      if (namespaced) Add(all, List("", "ForAllNamespaces"), PathParameters(false, false, true));
      Add(scoped, List(namespaced ? "Namespaced" : "", ""),
          PathParameters(namespaced, false, true));
    }
    if (resource_.get != nullptr) {
      Add(scoped + "/{name}", Get(), PathParameters(namespaced, true, true));
    }
    for (const rest::Subresource& subresource : resource_.subresources) {
      if (subresource.get == nullptr) continue;
      Add(StrCat(scoped, "/{name}/", subresource.name), GetBlob(subresource.name),
          PathParameters(namespaced, true, false));
    }
  }

 private:
  void Add(std::string_view path, json::object operation, json::array parameters) {
    paths_[json::string_view(path.data(), path.size())] =
        json::object{{"get", std::move(operation)}, {"parameters", std::move(parameters)}};
  }

  // `id`: the verb and what it is done to.
  json::object Operation(std::string_view description, std::string_view id) const {
    return {{"tags", json::array{group_version_}},
            {"description", json::string_view(description.data(), description.size())},
            {"operationId", json::string_view(id.data(), id.size())}};
  }

  // With the head of its ID in upper camel case: "listExampleComV1NamespacedWidget".
  std::string Id(std::string_view verb, std::string_view scope, std::string_view suffix) const {
    std::string group_version = group_version_;
    group_version[0] =
        static_cast<char>(std::toupper(static_cast<unsigned char>(group_version[0])));
    return StrCat(verb, group_version, scope, gvk_.kind, suffix);
  }

  json::object List(std::string_view scope, std::string_view suffix) const {
    json::object operation =
        Operation(StrCat("list objects of kind ", gvk_.kind), Id("list", scope, suffix));
    operation["parameters"] = ListParameters();
    operation["responses"] =
        Responses({"application/json", "application/yaml"}, Ref(SchemaName(gvk_) + "List"));
    operation["x-kubernetes-action"] = "list";
    operation["x-kubernetes-group-version-kind"] = Gvk(gvk_);
    return operation;
  }

  json::object Get() const {
    json::object operation =
        Operation(StrCat("read the ", gvk_.kind, " of this name"), Id("read", Scope(), ""));
    operation["parameters"] = GetParameters();
    operation["responses"] =
        Responses({"application/json", "application/yaml"}, Ref(SchemaName(gvk_)));
    operation["x-kubernetes-action"] = "get";
    operation["x-kubernetes-group-version-kind"] = Gvk(gvk_);
    return operation;
  }

  json::object GetBlob(std::string_view name) const {
    std::string suffix(name);
    suffix[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(suffix[0])));
    json::object operation =
        Operation(StrCat("read the ", name, " of the ", gvk_.kind, " of this name"),
                  Id("read", Scope(), suffix));
    operation["responses"] = Responses({"*/*"}, {{"type", "string"}, {"format", "binary"}});
    operation["x-kubernetes-action"] = "get";
    return operation;
  }

  std::string_view Scope() const { return resource_.descriptor.namespaced ? "Namespaced" : ""; }

  const rest::Resource& resource_;
  const kube::GroupVersionKind& gvk_;
  const std::string group_version_;
  json::object& paths_;
};

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

absl::Status AddSchemas(const rest::Resource& resource, json::object& schemas) {
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

}  // namespace

std::string SchemaName(const kube::GroupVersionKind& gvk) {
  const std::vector<std::string> labels = absl::StrSplit(gvk.group, '.');
  std::string name;
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) StrAppend(&name, *label, ".");
  return StrCat(name, gvk.version, ".", gvk.kind);
}

absl::StatusOr<json::object> OpenApiV3(const ServedVersion& version,
                                       const std::string& document_version) {
  json::object paths, schemas;
  for (const rest::Resource* resource : version.resources) {
    PathWriter(*resource, paths).Write();
    RETURN_IF_ERROR(AddSchemas(*resource, schemas));
  }
  ASSIGN_OR_RETURN(const json::value meta, ParseJson(MetaSchemas()));
  for (const auto& [name, schema] : meta.as_object()) schemas[name] = schema;
  return json::object{{"openapi", "3.0.0"},
                      {"info", {{"title", "Steward"}, {"version", document_version}}},
                      {"paths", std::move(paths)},
                      {"components", {{"schemas", std::move(schemas)}}}};
}

}  // namespace steward::discovery
