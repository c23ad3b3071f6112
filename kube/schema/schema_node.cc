#include "kube/schema/schema_node.h"

#include <boost/json/array.hpp>
#include <string_view>
#include <utility>

#include "base/json/json_access.h"
#include "kube/schema/formats.h"

namespace steward::kube {
namespace json = boost::json;
namespace {

constexpr int64_t kMaxRegexMemory = 1 << 20;

std::optional<int64_t> IntegerAt(const json::object& from, std::string_view key) {
  const json::value* value = from.if_contains(key);
  if (value == nullptr || !value->is_int64()) return std::nullopt;
  return value->get_int64();
}

std::optional<double> NumberAt(const json::object& from, std::string_view key) {
  const json::value* value = from.if_contains(key);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->to_number<double>();
}

std::unique_ptr<const SchemaNode> NodeAt(const json::object& from, std::string_view key,
                                         int levels) {
  const json::object* member = ObjectAt(from, key);
  return member == nullptr ? nullptr : CompileSchema(*member, levels);
}

std::vector<std::unique_ptr<const SchemaNode>> NodesAt(const json::object& from,
                                                       std::string_view key, int levels) {
  std::vector<std::unique_ptr<const SchemaNode>> nodes;
  const json::array* list = ArrayAt(from, key);
  if (list == nullptr) return nodes;
  for (const json::value& item : *list) {
    if (item.is_object()) nodes.push_back(CompileSchema(item.get_object(), levels));
  }
  return nodes;
}

void ReadPattern(const json::object& from, SchemaNode& node) {
  node.pattern = StringAt(from, "pattern");
  if (node.pattern.empty()) return;
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxRegexMemory);
  auto regex = std::make_unique<re2::RE2>(node.pattern, options);
  if (regex->ok()) node.regex = std::move(regex);
}

// A format counts only where Kubernetes supports it for the type.
std::string FormatFor(const SchemaNode& node, std::string_view format) {
  const std::string_view type = node.types.size() == 1 ? std::string_view(node.types[0]) : "";
  if (type == "integer") return format == "int32" || format == "int64" ? std::string(format) : "";
  if (type == "number") return format == "float" || format == "double" ? std::string(format) : "";
  if (type.empty() || type == "string") return IsStringFormat(format) ? std::string(format) : "";
  return "";
}

void ReadScalars(const json::object& from, SchemaNode& node) {
  ReadPattern(from, node);
  node.min_length = IntegerAt(from, "minLength");
  node.max_length = IntegerAt(from, "maxLength");
  node.minimum = NumberAt(from, "minimum");
  node.maximum = NumberAt(from, "maximum");
  node.exclusive_minimum = BoolAt(from, "exclusiveMinimum");
  node.exclusive_maximum = BoolAt(from, "exclusiveMaximum");
  node.multiple_of = NumberAt(from, "multipleOf");
  if (node.multiple_of.has_value() && *node.multiple_of <= 0) node.multiple_of.reset();
}

void ReadContainers(const json::object& from, int levels, SchemaNode& node) {
  node.min_items = IntegerAt(from, "minItems");
  node.max_items = IntegerAt(from, "maxItems");
  node.min_properties = IntegerAt(from, "minProperties");
  node.max_properties = IntegerAt(from, "maxProperties");
  if (const json::object* properties = ObjectAt(from, "properties")) {
    for (const auto& [name, schema] : *properties) {
      if (!schema.is_object()) continue;
      node.properties.emplace(View(name), CompileSchema(schema.get_object(), levels));
    }
  }
  node.any_additional = BoolAt(from, "additionalProperties");
  node.additional = NodeAt(from, "additionalProperties", levels);
  node.items = NodeAt(from, "items", levels);
  if (const json::array* required = ArrayAt(from, "required")) {
    for (const json::value& name : *required) {
      if (name.is_string()) node.required.emplace_back(View(name.get_string()));
    }
  }
}

}  // namespace

std::unique_ptr<const SchemaNode> CompileSchema(const json::object& from, int levels) {
  auto node = std::make_unique<SchemaNode>();
  if (levels == 0) {
    node->preserve_unknown = true;
    node->nullable = true;
    return node;
  }
  --levels;
  if (const std::string_view type = StringAt(from, "type"); !type.empty()) {
    node->types.emplace_back(type);
  }
  if (BoolAt(from, "x-kubernetes-int-or-string")) node->types = {"integer", "string"};
  node->format = FormatFor(*node, StringAt(from, "format"));
  node->nullable = BoolAt(from, "nullable");
  node->preserve_unknown = BoolAt(from, "x-kubernetes-preserve-unknown-fields");
  node->embedded_resource = BoolAt(from, "x-kubernetes-embedded-resource");
  if (const json::array* allowed = ArrayAt(from, "enum")) {
    node->allowed.assign(allowed->begin(), allowed->end());
  }
  if (const json::value* value = from.if_contains("default")) {
    if (!value->is_null()) node->default_value = *value;
  }
  ReadScalars(from, *node);
  ReadContainers(from, levels, *node);
  node->all_of = NodesAt(from, "allOf", levels);
  node->any_of = NodesAt(from, "anyOf", levels);
  node->one_of = NodesAt(from, "oneOf", levels);
  node->none_of = NodeAt(from, "not", levels);
  return node;
}

}  // namespace steward::kube
