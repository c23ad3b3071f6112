// One level of a structural schema, compiled. Immutable values; thread-safe.
#ifndef KUBE_SCHEMA_SCHEMA_NODE_H_
#define KUBE_SCHEMA_SCHEMA_NODE_H_

#include <re2/re2.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace steward::kube {

struct SchemaNode {
  std::vector<std::string> types;  // empty = any; int-or-string has two
  std::string format;              // "" = none that Kubernetes knows
  bool nullable = false;
  bool preserve_unknown = false;
  bool embedded_resource = false;           // apiVersion, kind and metadata need not be specified
  std::vector<boost::json::value> allowed;  // enum; empty = any
  std::optional<boost::json::value> default_value;

  std::string pattern;
  std::unique_ptr<const re2::RE2> regex;  // null when there is none, or RE2 cannot do it
  std::optional<int64_t> min_length, max_length;
  std::optional<int64_t> min_items, max_items;
  std::optional<int64_t> min_properties, max_properties;
  std::optional<double> minimum, maximum, multiple_of;
  bool exclusive_minimum = false;
  bool exclusive_maximum = false;

  std::map<std::string, std::unique_ptr<const SchemaNode>, std::less<>> properties;
  bool any_additional = false;                   // additionalProperties: true
  std::unique_ptr<const SchemaNode> additional;  // null = none
  std::unique_ptr<const SchemaNode> items;       // null = none
  std::vector<std::string> required;
  std::vector<std::unique_ptr<const SchemaNode>> all_of, any_of, one_of;
  std::unique_ptr<const SchemaNode> none_of;  // "not"; null = none

  // The schema of the member `key`; null when it has none.
  const SchemaNode* Member(std::string_view key) const {
    const auto it = properties.find(key);
    return it != properties.end() ? it->second.get() : additional.get();
  }
};

// `json` is a schema; unknown or malformed keywords are ignored, and so are parts deeper than
// `levels`.
std::unique_ptr<const SchemaNode> CompileSchema(const boost::json::object& json, int levels);

}  // namespace steward::kube

#endif  // KUBE_SCHEMA_SCHEMA_NODE_H_
