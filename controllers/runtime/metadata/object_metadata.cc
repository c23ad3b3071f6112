#include "controllers/runtime/metadata/object_metadata.h"

#include <simdjson.h>

#include "absl/status/status.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"

namespace steward::controllers {
namespace {

namespace ondemand = simdjson::ondemand;

absl::Status Malformed(std::string_view what, simdjson::error_code error) {
  return absl::InvalidArgumentError(StrCat(what, ": ", simdjson::error_message(error)));
}

absl::Status ReadString(ondemand::value value, std::string_view what, std::string& out) {
  std::string_view text;
  if (const auto error = value.get_string().get(text)) return Malformed(what, error);
  out = text;
  return absl::OkStatus();
}

absl::Status ReadFinalizers(ondemand::value value, std::vector<std::string>& out) {
  ondemand::array items;
  if (const auto error = value.get_array().get(items)) return Malformed("finalizers", error);
  for (auto item : items) {
    std::string_view text;
    if (const auto error = item.get_string().get(text)) return Malformed("finalizers", error);
    out.emplace_back(text);
  }
  return absl::OkStatus();
}

// True for null, which counts as absent.
absl::StatusOr<bool> IsNull(ondemand::value& value, std::string_view what) {
  ondemand::json_type type;
  if (const auto error = value.type().get(type)) return Malformed(what, error);
  return type == ondemand::json_type::null;
}

absl::Status ReadMember(std::string_view key, ondemand::value value, ObjectMetadata& out) {
  if (key != "name" && key != "namespace" && key != "uid" && key != "deletionTimestamp" &&
      key != "finalizers") {
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const bool is_null, IsNull(value, key));
  if (is_null) return absl::OkStatus();
  if (key == "name") return ReadString(value, key, out.name.name);
  if (key == "namespace") return ReadString(value, key, out.name.ns);
  if (key == "uid") return ReadString(value, key, out.uid);
  if (key == "finalizers") return ReadFinalizers(value, out.finalizers);
  std::string time;
  RETURN_IF_ERROR(ReadString(value, key, time));
  out.deleting = true;
  return absl::OkStatus();
}

template <typename Visit>
absl::Status ForEachMember(ondemand::object object, Visit visit) {
  for (auto result : object) {
    ondemand::field field;
    if (const auto error = std::move(result).get(field)) return Malformed("object", error);
    std::string_view key;
    if (const auto error = field.unescaped_key().get(key)) return Malformed("object", error);
    // A copy is needed, as nested reads reuse the parser's string buffer.
    const std::string own_key(key);
    RETURN_IF_ERROR(visit(own_key, field.value()));
  }
  return absl::OkStatus();
}

absl::Status ReadMetadata(ondemand::value value, ObjectMetadata& out) {
  ondemand::object members;
  if (const auto error = value.get_object().get(members)) return Malformed("metadata", error);
  return ForEachMember(members, [&out](std::string_view key, ondemand::value member) {
    return ReadMember(key, member, out);
  });
}

}  // namespace

absl::StatusOr<ObjectMetadata> DecodeObjectMetadata(std::string_view json) {
  thread_local ondemand::parser parser;
  const simdjson::padded_string padded(json);
  ondemand::document document;
  if (const auto error = parser.iterate(padded).get(document)) return Malformed("object", error);
  ondemand::object root;
  if (const auto error = document.get_object().get(root)) return Malformed("object", error);
  ObjectMetadata out;
  RETURN_IF_ERROR(ForEachMember(root, [&out](std::string_view key, ondemand::value member) {
    return key == "metadata" ? ReadMetadata(member, out) : absl::OkStatus();
  }));
  if (out.name.name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  if (out.uid.empty()) return absl::InvalidArgumentError("metadata.uid: missing");
  return out;
}

}  // namespace steward::controllers
