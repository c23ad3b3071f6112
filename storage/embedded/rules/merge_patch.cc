#include "storage/embedded/rules/merge_patch.h"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

namespace steward::storage {
namespace json = boost::json;
namespace {

void DropNullMembers(json::value& value) {
  if (json::array* array = value.if_array()) {
    for (json::value& element : *array) DropNullMembers(element);
  }
  if (json::object* object = value.if_object()) {
    json::object kept;
    for (auto& member : *object) {
      if (member.value().is_null()) continue;
      DropNullMembers(member.value());
      kept.emplace(member.key(), std::move(member.value()));
    }
    *object = std::move(kept);
  }
}

}  // namespace

void ApplyMergePatch(const json::object& patch, json::object& target) {
  for (const auto& member : patch) {
    if (member.value().is_null()) {
      // Erases in place, so that the remaining members keep their order.
      target.stable_erase(member.key());
      continue;
    }
    json::value& value = target[member.key()];
    if (const json::object* inner = member.value().if_object();
        inner != nullptr && value.is_object()) {
      ApplyMergePatch(*inner, value.get_object());
    } else {
      value = member.value();
      DropNullMembers(value);
    }
  }
}

}  // namespace steward::storage
