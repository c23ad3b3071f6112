#include "apiserver/stored/schema.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <utility>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"

namespace steward::stored {
namespace {

namespace json = boost::json;

json::object AnyObject(const kube::ResourceType& type) {
  return {
      {"description", StrCat("A ", type.gvk.kind, ". This server knows no more about its fields.")},
      {"type", "object"},
      {"x-kubernetes-preserve-unknown-fields", true}};
}

json::object Text(std::string_view description) {
  return {{"description", json::string_view(description.data(), description.size())},
          {"type", "string"}};
}

json::object ObjectMeta() {
  return {{"description", "What every object says about itself."},
          {"default", json::object()},
          {"allOf",
           json::array{json::object{
               {"$ref", "#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"}}}}};
}

}  // namespace

std::string OpenApiSchema(const kube::ResourceType& type) {
  json::object schema = AnyObject(type);
  if (auto known = ParseJson(type.schema); known.ok() && known->is_object()) {
    schema = std::move(known->get_object());
  }
  json::value& value = schema["properties"];
  if (!value.is_object()) value.emplace_object();
  json::object& properties = value.get_object();
  if (!properties.contains("apiVersion")) {
    properties["apiVersion"] = Text("Group and version of this object's form.");
  }
  if (!properties.contains("kind")) properties["kind"] = Text("The kind of this object.");
  properties["metadata"] = ObjectMeta();
  return Serialize(schema);
}

}  // namespace steward::stored
