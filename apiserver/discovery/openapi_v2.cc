#include "apiserver/discovery/openapi_v2.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string_view>
#include <utility>

#include "base/text/str_cat.h"

namespace steward::discovery {
namespace {

namespace json = boost::json;

constexpr std::string_view kV3Prefix = "#/components/schemas/";

json::value Schema(const json::value& v3);

// Schemas by name, such as those of properties, whose names may look like keywords.
json::value SchemaMap(const json::value& v3) {
  const json::object* object = v3.if_object();
  if (object == nullptr) return v3;
  json::object out;
  for (const auto& [name, schema] : *object) out[name] = Schema(schema);
  return out;
}

bool UnknownToV2(json::string_view keyword) {
  return keyword == "anyOf" || keyword == "oneOf" || keyword == "not" || keyword == "nullable";
}

void AddReference(json::string_view v3, json::object& out) {
  std::string_view ref(v3.data(), v3.size());
  if (ref.starts_with(kV3Prefix)) ref.remove_prefix(kV3Prefix.size());
  out["$ref"] = StrCat("#/definitions/", ref);
}

// v3 wraps a reference that has siblings into allOf; readers of v2 expect the reference beside
// them.
void AddAllOf(const json::array& v3, json::object& out) {
  json::array parts;
  for (const json::value& part : v3) parts.push_back(Schema(part));
  if (parts.size() != 1 || !parts[0].is_object()) {
    out["allOf"] = std::move(parts);
    return;
  }
  for (const auto& [keyword, value] : parts[0].get_object()) out.insert_or_assign(keyword, value);
}

// Copies a schema with references into `definitions`, without the keywords that v2 lacks: the copy
// allows more than the original.
json::value Schema(const json::value& v3) {
  const json::object* object = v3.if_object();
  if (object == nullptr) return v3;
  json::object out;
  for (const auto& [keyword, value] : *object) {
    if (keyword == "$ref" && value.is_string()) {
      AddReference(value.get_string(), out);
    } else if (keyword == "allOf" && value.is_array()) {
      AddAllOf(value.get_array(), out);
    } else if (keyword == "properties") {
      out[keyword] = SchemaMap(value);
    } else if (keyword == "items" || keyword == "additionalProperties") {
      out[keyword] = Schema(value);
    } else if (!UnknownToV2(keyword)) {
      out[keyword] = value;
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

// The single body parameter that replaces a v3 request body.
json::object BodyParameter(const json::object& v3, json::array& consumes) {
  json::object parameter{{"name", "body"}, {"in", "body"}};
  if (v3.contains("required")) parameter["required"] = true;
  for (const auto& [media_type, body] : v3.at("content").as_object()) {
    consumes.emplace_back(media_type);
    parameter["schema"] = Schema(body.at("schema"));
  }
  return parameter;
}

bool Contains(const json::array& strings, json::string_view wanted) {
  return std::any_of(strings.begin(), strings.end(),
                     [&](const json::value& s) { return s.as_string() == wanted; });
}

// Converts the responses, and adds their media types to `produces`.
json::object Responses(const json::object& v3, json::array& produces) {
  json::object out;
  for (const auto& [code, response] : v3) {
    json::object flat{{"description", response.at("description")}};
    if (const json::value* content = response.as_object().if_contains("content")) {
      for (const auto& [media_type, body] : content->as_object()) {
        if (!Contains(produces, media_type)) produces.emplace_back(media_type);
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
    } else if (key == "requestBody") {
      json::array consumes;
      json::value& parameters = out["parameters"];
      if (parameters.is_null()) parameters.emplace_array();
      parameters.get_array().push_back(BodyParameter(value.as_object(), consumes));
      out["consumes"] = std::move(consumes);
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
