#include "apiserver/stored/json_object.h"

#include <simdjson.h>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/json/json_text.h"

namespace steward::stored {
namespace {

namespace ondemand = simdjson::ondemand;

std::string_view TrimRight(std::string_view text) {
  const size_t end = text.find_last_not_of(" \t\r\n");
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

void ReadString(ondemand::value value, std::string& out) {
  std::string_view text;
  if (!value.get_string().get(text)) out.assign(text);
}

// The bytes of the member `metadata`, if it is an object.
std::optional<std::string_view> FindMetadata(ondemand::parser& parser, const kube::RawObject& raw) {
  ondemand::document document;
  const simdjson::padded_string_view json(raw.json.data(), raw.json.size(),
                                          raw.json.size() + kube::RawObject::kPadding);
  if (parser.iterate(json).get(document)) return std::nullopt;
  ondemand::object metadata;
  if (document.find_field_unordered("metadata").get_object().get(metadata)) return std::nullopt;
  std::string_view found;
  if (metadata.raw_json().get(found)) return std::nullopt;
  found = TrimRight(found);
  // If the JSON is invalid, `found` may be any part of it.
  if (!found.ends_with('}')) return std::nullopt;
  return found;
}

}  // namespace

void JsonObject::AppendJson(std::string_view, Rope& out) const { out.text() += raw_.json; }

void JsonObject::AppendMetadata(std::string_view, Rope& out) const {
  out.text() += metadata().json;
}

void JsonObject::AppendCells(std::string& out) const {
  JsonLimits limits;
  limits.max_size = raw_.json.size();
  const auto object = ParseJson(raw_.json, limits);
  columns_.AppendCells(name(), object.ok() ? *object : boost::json::value(), clock_.Now(), out);
}

bool JsonObject::HasAnnotation(std::string_view key) const {
  const auto parsed = ParseJson(metadata().json);
  const boost::json::object* object = parsed.ok() ? parsed->if_object() : nullptr;
  const boost::json::value* value = object ? object->if_contains("annotations") : nullptr;
  const boost::json::object* annotations = value ? value->if_object() : nullptr;
  return annotations && annotations->contains(boost::json::string_view(key.data(), key.size()));
}

const JsonObject::Metadata& JsonObject::metadata() const {
  if (!metadata_) ReadMetadata(metadata_.emplace());
  return *metadata_;
}

void JsonObject::ReadMetadata(Metadata& metadata) const {
  static_assert(kube::RawObject::kPadding >= simdjson::SIMDJSON_PADDING);
  // The parser's buffers are as large as the largest object so far.
  thread_local ondemand::parser parser;
  const std::optional<std::string_view> found = FindMetadata(parser, raw_);
  if (!found) return;
  metadata.json = *found;
  // The bytes behind the member serve as padding.
  ondemand::document document;
  const auto left = static_cast<size_t>(raw_.json.data() + raw_.json.size() - found->data());
  const simdjson::padded_string_view json(found->data(), found->size(),
                                          left + kube::RawObject::kPadding);
  ondemand::object object;
  if (parser.iterate(json).get(document) || document.get_object().get(object)) return;
  for (auto result : object) {
    ondemand::field field;
    std::string_view key;
    if (std::move(result).get(field) || field.unescaped_key().get(key)) return;
    if (key == "name") ReadString(field.value(), metadata.name);
    if (key == "namespace") ReadString(field.value(), metadata.ns);
    if (key == "resourceVersion") ReadString(field.value(), metadata.resource_version);
  }
}

}  // namespace steward::stored
