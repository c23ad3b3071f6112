#include "kube/schema/schema.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "base/json/json_access.h"
#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "kube/schema/schema_node.h"

namespace steward::kube {
namespace json = boost::json;
namespace {

// A bound for safety only: schemas come from requests or manifest files, whose size is bounded
// already.
constexpr size_t kMaxText = 64 << 20;

bool IsTypeMember(std::string_view key) {
  return key == "apiVersion" || key == "kind" || key == "metadata";
}

// Calls `visit` for each child of `value`, with the schema of the child (null = none).
template <typename Visit>
void ForEachChild(json::value& value, const SchemaNode& node, Visit visit) {
  if (json::object* object = value.if_object()) {
    for (auto& member : *object) visit(member.value(), node.Member(View(member.key())));
  } else if (json::array* array = value.if_array()) {
    for (json::value& item : *array) visit(item, node.items.get());
  }
}

// Empties objects that no schema describes, in lists, too.
void PruneUnknown(json::value& value) {
  if (json::object* object = value.if_object()) object->clear();
  json::array* array = value.if_array();
  if (array == nullptr) return;
  for (json::value& item : *array) PruneUnknown(item);
}

// `is_resource`: apiVersion, kind and metadata stay.
void Prune(json::value& value, const SchemaNode& node, bool is_resource) {
  is_resource = is_resource || node.embedded_resource;
  if (json::array* array = value.if_array()) {
    for (json::value& item : *array) {
      if (node.items != nullptr) {
        Prune(item, *node.items, false);
      } else if (!node.preserve_unknown) {
        PruneUnknown(item);
      }
    }
    return;
  }
  json::object* object = value.if_object();
  if (object == nullptr) return;
  for (auto it = object->begin(); it != object->end();) {
    const std::string_view key = View(it->key());
    if (is_resource && IsTypeMember(key)) {
      ++it;
    } else if (const SchemaNode* member = node.Member(key)) {
      Prune(it->value(), *member, false);
      ++it;
    } else if (node.preserve_unknown) {
      ++it;
    } else if (node.any_additional) {
      PruneUnknown(it->value());
      ++it;
    } else {
      it = object->stable_erase(it);
    }
  }
}

bool IsForbiddenNull(const json::value& value, const SchemaNode* node) {
  return value.is_null() && node != nullptr && !node->nullable;
}

// Keeps nulls that have a default, which replaces them later. Keeps nulls in lists, which are
// refused later.
void DropNulls(json::value& value, const SchemaNode& node) {
  if (json::object* object = value.if_object()) {
    for (auto it = object->begin(); it != object->end();) {
      const SchemaNode* member = node.Member(View(it->key()));
      const bool drop = IsForbiddenNull(it->value(), member) && !member->default_value.has_value();
      it = drop ? object->stable_erase(it) : it + 1;
    }
  }
  ForEachChild(value, node, [](json::value& child, const SchemaNode* of) {
    if (of != nullptr) DropNulls(child, *of);
  });
}

void FillDefaults(json::value& value, const SchemaNode& node) {
  if (json::object* object = value.if_object()) {
    for (const auto& [name, property] : node.properties) {
      if (!property->default_value.has_value()) continue;
      const json::value* present = object->if_contains(name);
      if (present == nullptr || IsForbiddenNull(*present, property.get())) {
        (*object)[name] = *property->default_value;
      }
    }
  }
  ForEachChild(value, node, [](json::value& child, const SchemaNode* of) {
    if (of == nullptr) return;
    if (IsForbiddenNull(child, of) && of->default_value.has_value()) child = *of->default_value;
    FillDefaults(child, *of);
  });
}

}  // namespace

absl::StatusOr<Schema> Schema::Parse(std::string_view text) {
  JsonLimits limits;
  limits.max_size = kMaxText;
  ASSIGN_OR_RETURN(const json::value value, ParseJson(text, limits));
  if (!value.is_object()) return absl::InvalidArgumentError("the schema is no JSON object");
  return Schema(CompileSchema(value.get_object(), kMaxDepth));
}

void Schema::Complete(json::object& object) const {
  json::value value = std::move(object);
  Prune(value, *root_, /*is_resource=*/true);
  DropNulls(value, *root_);
  FillDefaults(value, *root_);
  object = std::move(value.get_object());
}

}  // namespace steward::kube
