#include "apiserver/discovery/openapi_v2.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "base/text/str_cat.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

constexpr std::string_view kV3Prefix = "#/components/schemas/";

// A copy with references into `definitions`. v3 wraps a reference that has siblings into allOf;
// readers of v2 expect it beside them, and know no allOf.
json::value Schema(const json::value& v3) {
  if (const json::array* array = v3.if_array()) {
    json::array out;
    for (const json::value& element : *array) out.push_back(Schema(element));
    return out;
  }
  const json::object* object = v3.if_object();
  if (object == nullptr) return v3;
  json::object out;
  for (const auto& [key, value] : *object) {
    if (key == "$ref" && value.is_string()) {
      const std::string_view ref(value.get_string().data(), value.get_string().size());
      out[key] = StrCat("#/definitions/", ref.substr(kV3Prefix.size()));
    } else if (key == "allOf" && value.is_array() && value.get_array().size() == 1) {
      const json::value only = Schema(value.get_array()[0]);
      for (const auto& [inner, part] : only.as_object()) out.insert_or_assign(inner, part);
    } else {
      out[key] = Schema(value);
    }
  }
  return out;
}

json::array Parameters(const json::array& v3) {
  json::array out;
  for (const json::value& parameter : v3) {
    json::object flat;
    for (const auto& [key, value] : parameter.as_object()) {
      if (key != "schema") flat[key] = value;
    }
    for (const auto& [key, value] : parameter.at("schema").as_object()) flat[key] = value;
    out.push_back(std::move(flat));
  }
  return out;
}

// Also says which media types there are.
json::object Responses(const json::object& v3, json::array& produces) {
  json::object out;
  for (const auto& [code, response] : v3) {
    json::object flat{{"description", response.at("description")}};
    if (const json::value* content = response.as_object().if_contains("content")) {
      for (const auto& [media_type, body] : content->as_object()) {
        produces.emplace_back(media_type);
        flat["schema"] = Schema(body.at("schema"));
      }
    }
    out[code] = std::move(flat);
  }
  return out;
}

json::object Operation(const json::object& v3) {
  json::object out;
  json::array produces;
  for (const auto& [key, value] : v3) {
    if (key == "parameters") {
      out[key] = Parameters(value.as_array());
    } else if (key == "responses") {
      json::object responses = Responses(value.as_object(), produces);
      out["produces"] = std::move(produces);
      out["schemes"] = json::array{"https"};
      out[key] = std::move(responses);
    } else {
      out[key] = value;
    }
  }
  return out;
}

json::object PathItem(const json::object& v3) {
  json::object out;
  for (const auto& [key, value] : v3) {
    if (key == "parameters") {
      out[key] = Parameters(value.as_array());
    } else {
      out[key] = Operation(value.as_object());
    }
  }
  return out;
}

}  // namespace

json::object OpenApiV2(const std::vector<json::object>& v3_documents,
                       const std::string& document_version) {
  json::object paths, definitions;
  for (const json::object& document : v3_documents) {
    for (const auto& [path, item] : document.at("paths").as_object()) {
      paths[path] = PathItem(item.as_object());
    }
    for (const auto& [name, schema] : document.at("components").at("schemas").as_object()) {
      definitions[name] = Schema(schema);
    }
  }
  return {{"swagger", "2.0"},
          {"info", {{"title", "Steward"}, {"version", document_version}}},
          {"paths", std::move(paths)},
          {"definitions", std::move(definitions)}};
}

}  // namespace steward::discovery
