#include "olm/dom.h"

#include <utility>

#include "base/text/str_cat.h"

namespace steward::olm::dom {

absl::Status Bad(std::string_view why) { return absl::InvalidArgumentError(ToAbsl(why)); }

absl::StatusOr<object> Document::Parse(std::string_view json) {
  text_ = simdjson::padded_string(json);
  element root;
  if (const auto error = parser_.parse(text_).get(root)) {
    return Bad(simdjson::error_message(error));
  }
  object members;
  if (root.get(members)) return Bad("not an object");
  return members;
}

std::optional<object> ObjectIn(const object& parent, std::string_view key) {
  object member;
  if (parent.at_key(key).get(member)) return std::nullopt;
  return member;
}
std::optional<array> ArrayIn(const object& parent, std::string_view key) {
  array member;
  if (parent.at_key(key).get(member)) return std::nullopt;
  return member;
}
std::string StringIn(const object& parent, std::string_view key) {
  std::string_view member;
  if (parent.at_key(key).get(member)) return "";
  return std::string(member);
}
bool BoolIn(const object& parent, std::string_view key) {
  bool member = false;
  return !parent.at_key(key).get(member) && member;
}
bool Has(const object& parent, std::string_view key) {
  element member;
  return !parent.at_key(key).get(member) && !member.is_null();
}
std::vector<std::string> StringsIn(const object& parent, std::string_view key) {
  std::vector<std::string> strings;
  const std::optional<array> list = ArrayIn(parent, key);
  if (!list) return strings;
  for (const element item : *list) {
    std::string_view text;
    if (!item.get(text)) strings.emplace_back(text);
  }
  return strings;
}
std::optional<std::string> OptionalStringIn(const std::optional<object>& parent,
                                            std::string_view key) {
  std::string_view text;
  if (!parent || parent->at_key(key).get(text)) return std::nullopt;
  return std::string(text);
}

absl::StatusOr<ObjectFacts> MetadataOf(const object& root) {
  const std::optional<object> metadata = ObjectIn(root, "metadata");
  if (!metadata) return Bad("metadata is missing");
  ObjectFacts facts;
  facts.key = {StringIn(*metadata, "namespace"), StringIn(*metadata, "name")};
  facts.uid = StringIn(*metadata, "uid");
  facts.resource_version = StringIn(*metadata, "resourceVersion");
  int64_t generation = 0;
  if (!(*metadata)["generation"].get(generation)) facts.generation = generation;
  if (facts.key.name.empty()) return Bad("metadata.name is missing");
  if (facts.uid.empty()) return Bad("metadata.uid is missing");
  if (Has(*metadata, "deletionTimestamp")) {
    facts.deletion_timestamp = StringIn(*metadata, "deletionTimestamp");
    if (facts.deletion_timestamp.empty()) return Bad("metadata.deletionTimestamp is no time");
  }
  facts.finalizers = StringsIn(*metadata, "finalizers");
  if (const std::optional<object> labels = ObjectIn(*metadata, "labels")) {
    for (const auto& label : *labels) {
      std::string_view text;
      if (!label.value.get(text)) facts.labels.emplace(std::string(label.key), std::string(text));
    }
  }
  return facts;
}

}  // namespace steward::olm::dom
