#include "kube/client/object_meta.h"

#include <simdjson.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::kube {
namespace {

namespace ondemand = simdjson::ondemand;
using simdjson::error_code;

absl::Status Malformed(std::string_view what, error_code error) {
  return absl::InvalidArgumentError(StrCat(what, ": ", simdjson::error_message(error)));
}

error_code ReadString(ondemand::value value, std::string& out) {
  std::string_view text;
  if (const error_code error = value.get_string().get(text)) return error;
  out.assign(text);
  return simdjson::SUCCESS;
}

error_code ReadStrings(ondemand::value value, std::vector<std::string>& out) {
  ondemand::array items;
  if (const error_code error = value.get_array().get(items)) return error;
  for (auto item : items) {
    std::string_view text;
    if (const error_code error = item.get_string().get(text)) return error;
    out.emplace_back(text);
  }
  return simdjson::SUCCESS;
}

constexpr std::string_view kMembers[] = {
    "name", "namespace", "uid", "resourceVersion", "deletionTimestamp", "finalizers"};

// REQUIRES: `member` is one of kMembers.
error_code ReadMember(std::string_view member, ondemand::value value, VersionedMeta& out) {
  ondemand::json_type type;
  if (const error_code error = value.type().get(type)) return error;
  if (type == ondemand::json_type::null) return simdjson::SUCCESS;
  if (member == "finalizers") return ReadStrings(value, out.meta.finalizers);
  if (member == "deletionTimestamp") {
    out.meta.deleting = true;
    return value.get_string().error();
  }
  std::string& text = member == "name"        ? out.meta.name.name
                      : member == "namespace" ? out.meta.name.ns
                      : member == "uid"       ? out.meta.uid
                                              : out.resource_version;
  return ReadString(value, text);
}

absl::Status ReadMembers(ondemand::object& metadata, VersionedMeta& out) {
  for (auto result : metadata) {
    ondemand::field field;
    if (const error_code error = std::move(result).get(field)) return Malformed("metadata", error);
    std::string_view key;
    if (const error_code error = field.unescaped_key().get(key))
      return Malformed("metadata", error);
    const auto* const member = std::find(std::begin(kMembers), std::end(kMembers), key);
    if (member == std::end(kMembers)) continue;
    if (const error_code error = ReadMember(*member, field.value(), out)) {
      return Malformed(StrCat("metadata.", *member), error);
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<VersionedMeta> DecodeObjectMeta(const RawObject& object) {
  static_assert(RawObject::kPadding >= simdjson::SIMDJSON_PADDING);
  // The parser's buffers are as large as the largest object so far.
  thread_local ondemand::parser parser;
  const simdjson::padded_string_view text(object.json.data(), object.json.size(),
                                          object.json.size() + RawObject::kPadding);
  ondemand::document document;
  if (const error_code error = parser.iterate(text).get(document)) {
    return Malformed("object", error);
  }
  ondemand::object metadata;
  if (const error_code error =
          document.find_field_unordered("metadata").get_object().get(metadata)) {
    return Malformed("metadata", error);
  }
  VersionedMeta out;
  RETURN_IF_ERROR(ReadMembers(metadata, out));
  if (out.meta.name.name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  if (out.meta.uid.empty()) return absl::InvalidArgumentError("metadata.uid: missing");
  return out;
}

}  // namespace steward::kube
