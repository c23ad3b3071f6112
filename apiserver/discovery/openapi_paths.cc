#include "apiserver/discovery/openapi_paths.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/discovery/group_documents.h"
#include "apiserver/discovery/meta_schemas.h"
#include "apiserver/discovery/openapi_parts.h"
#include "base/text/str_cat.h"
#include "kube/meta/names.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

json::string_view View(std::string_view s) { return {s.data(), s.size()}; }

const std::vector<std::string>& ObjectTypes() {
  static const std::vector<std::string>& types =
      *new std::vector<std::string>{"application/json", "application/yaml"};
  return types;
}

std::string UpperFirst(std::string_view s) {
  std::string out(s);
  if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
  return out;
}

// "viewsExampleComV1", the spelling in operation IDs and tags.
std::string GroupVersionInCamelCase(std::string_view group, std::string_view version) {
  std::string out;
  bool upper = false;
  for (char c : StrCat(group.empty() ? "core" : group, ".", version)) {
    if (c == '.' || c == '-') {
      upper = true;
      continue;
    }
    out += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return out;
}

json::object Responses(const std::vector<std::pair<const char*, const char*>>& codes,
                       const std::vector<std::string>& media_types, const json::object& schema) {
  json::object responses;
  for (const auto& [code, description] : codes) {
    responses[code] =
        json::object{{"description", description}, {"content", Content(media_types, schema)}};
  }
  responses["401"] = json::object{{"description", "Unauthorized"}};
  return responses;
}

json::object Body(const std::vector<std::string>& media_types, const json::object& schema) {
  return {{"content", Content(media_types, schema)}, {"required", true}};
}

class PathWriter {
 public:
  PathWriter(const rest::Resource& resource, json::object& paths)
      : resource_(resource),
        gvk_(resource.descriptor.gvk),
        group_version_(GroupVersionInCamelCase(gvk_.group, gvk_.version)),
        scope_(resource.descriptor.namespaced ? "Namespaced" : ""),
        paths_(paths) {}

  void Write() {
    const bool namespaced = resource_.descriptor.namespaced;
    const std::string root = "/" + ApiPath(gvk_.group, gvk_.version);
    const std::string& plural = resource_.descriptor.plural;
    const std::string all = StrCat(root, "/", plural);
    const std::string scoped = namespaced ? StrCat(root, "/namespaces/{namespace}/", plural) : all;
    const std::string named = scoped + "/{name}";
    if (namespaced && resource_.list != nullptr) {
      Add(all, {{"get", List("", "ForAllNamespaces")}}, PathParameters(false, false, true));
    }
    Add(scoped, OnCollection(), PathParameters(namespaced, false, true));
    Add(named, OnObject(), PathParameters(namespaced, true, true));
    for (const rest::Subresource& subresource : resource_.subresources) {
      const bool pretty = subresource.get_blob == nullptr;
      Add(StrCat(named, "/", subresource.name), OnSubresource(subresource),
          PathParameters(namespaced, true, pretty));
    }
  }

 private:
  void Add(std::string_view path, json::object item, json::array parameters) {
    if (item.empty()) return;
    item["parameters"] = std::move(parameters);
    paths_[View(path)] = std::move(item);
  }

  json::object OnCollection() const {
    json::object item;
    if (resource_.list != nullptr) item["get"] = List(scope_, "");
    if (resource_.Creates()) item["post"] = Post();
    return item;
  }

  json::object OnObject() const {
    json::object item;
    const std::string what = StrCat("the ", gvk_.kind, " of this name");
    if (resource_.get != nullptr) item["get"] = Get(what, "");
    if (resource_.update != nullptr) item["put"] = Put(what, "");
    if (resource_.del != nullptr) item["delete"] = Delete(what);
    if (resource_.patch != nullptr) item["patch"] = Patch(what, "");
    return item;
  }

  json::object OnSubresource(const rest::Subresource& subresource) const {
    json::object item;
    const std::string suffix = UpperFirst(subresource.name);
    const std::string what =
        StrCat("the ", subresource.name, " of the ", gvk_.kind, " of this name");
    if (subresource.get_blob != nullptr) item["get"] = GetBlob(what, suffix);
    if (subresource.get_page != nullptr) item["get"] = GetPage(what, suffix);
    if (subresource.get_object != nullptr) item["get"] = Get(what, suffix);
    if (subresource.update != nullptr) item["put"] = Put(what, suffix);
    if (subresource.patch != nullptr) item["patch"] = Patch(what, suffix);
    return item;
  }

  struct Operation {
    std::string_view action;
    std::string description;
    std::string id;
    json::array parameters;  // empty = none
    json::object body;       // empty = none
    json::object responses;
    bool of_kind = true;  // objects of the kind are sent or received
  };

  json::object ToJson(Operation operation) const {
    json::object out{{"tags", json::array{group_version_}},
                     {"description", operation.description},
                     {"operationId", operation.id}};
    if (!operation.parameters.empty()) out["parameters"] = std::move(operation.parameters);
    if (!operation.body.empty()) out["requestBody"] = std::move(operation.body);
    out["responses"] = std::move(operation.responses);
    out["x-kubernetes-action"] = View(operation.action);
    if (operation.of_kind) out["x-kubernetes-group-version-kind"] = Gvk(gvk_);
    return out;
  }

  // The verb and its object: "listExampleComV1NamespacedWidget".
  std::string Id(std::string_view verb, std::string_view scope, std::string_view suffix) const {
    return StrCat(verb, UpperFirst(group_version_), scope, gvk_.kind, suffix);
  }

  json::object Kind() const { return Ref(SchemaName(gvk_)); }

  json::object List(std::string_view scope, std::string_view suffix) const {
    Operation operation{"list", StrCat("list objects of kind ", gvk_.kind),
                        Id("list", scope, suffix), ListParameters(resource_)};
    operation.responses = Responses({{"200", "OK"}}, ObjectTypes(), Ref(SchemaName(gvk_) + "List"));
    return ToJson(std::move(operation));
  }

  json::object Get(std::string_view what, std::string_view suffix) const {
    Operation operation{"get", StrCat("read ", what), Id("read", scope_, suffix), GetParameters()};
    operation.responses = Responses({{"200", "OK"}}, ObjectTypes(), Kind());
    return ToJson(std::move(operation));
  }

  json::object Post() const {
    Operation operation{"post", StrCat("create a ", gvk_.kind), Id("create", scope_, ""),
                        WriteParameters(), Body(ObjectTypes(), Kind())};
    operation.responses = Responses({{"200", "OK"}, {"201", "Created"}}, ObjectTypes(), Kind());
    return ToJson(std::move(operation));
  }

  json::object Put(std::string_view what, std::string_view suffix) const {
    Operation operation{"put", StrCat("replace ", what), Id("replace", scope_, suffix),
                        WriteParameters(), Body(ObjectTypes(), Kind())};
    operation.responses = Responses({{"200", "OK"}}, ObjectTypes(), Kind());
    return ToJson(std::move(operation));
  }

  json::object Patch(std::string_view what, std::string_view suffix) const {
    Operation operation{"patch", StrCat("change parts of ", what), Id("patch", scope_, suffix),
                        WriteParameters(), Body(resource_.patch_types, Ref(kPatch))};
    operation.responses = Responses({{"200", "OK"}}, ObjectTypes(), Kind());
    return ToJson(std::move(operation));
  }

  json::object Delete(std::string_view what) const {
    Operation operation{"delete", StrCat("delete ", what), Id("delete", scope_, ""),
                        DeleteParameters(), Body(ObjectTypes(), Ref(kDeleteOptions))};
    operation.body.erase("required");
    operation.responses = Responses({{"200", "OK"}}, ObjectTypes(), Ref(kStatus));
    return ToJson(std::move(operation));
  }

  json::object GetBlob(std::string_view what, std::string_view suffix) const {
    Operation operation{"get", StrCat("read ", what), Id("read", scope_, suffix)};
    operation.responses =
        Responses({{"200", "OK"}}, {"*/*"}, {{"type", "string"}, {"format", "binary"}});
    operation.of_kind = false;
    return ToJson(std::move(operation));
  }

  json::object GetPage(std::string_view what, std::string_view suffix) const {
    Operation operation{"get", StrCat("read ", what, ", page by page"), Id("read", scope_, suffix),
                        PageParameters()};
    operation.responses = Responses({{"200", "OK"}}, ObjectTypes(), {{"type", "object"}});
    operation.of_kind = false;
    return ToJson(std::move(operation));
  }

  const rest::Resource& resource_;
  const kube::GroupVersionKind& gvk_;
  const std::string group_version_;
  const std::string_view scope_;
  json::object& paths_;
};

}  // namespace

void WritePaths(const rest::Resource& resource, json::object& paths) {
  PathWriter(resource, paths).Write();
}

}  // namespace steward::discovery
