#include "olm/copy/stored_copy.h"

#include <simdjson.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/json/json_text.h"
#include "base/text/str_cat.h"
#include "olm/copy.h"

namespace steward::olm {
namespace {

using simdjson::dom::array;
using simdjson::dom::element;
using simdjson::dom::element_type;
using simdjson::dom::object;

// Appends the value in its canonical form. The parser bounds the depth of the recursion.
void AppendCanonical(const element& value, std::string& out);

void AppendCanonical(const object& members, std::string& out) {
  std::vector<std::pair<std::string_view, element>> sorted;
  sorted.reserve(members.size());
  for (const auto& member : members) sorted.emplace_back(member.key, member.value);
  const auto by_key = [](const auto& a, const auto& b) { return a.first < b.first; };
  // A kube-apiserver sends members sorted, so this is rarely needed.
  if (!std::is_sorted(sorted.begin(), sorted.end(), by_key)) {
    std::stable_sort(sorted.begin(), sorted.end(), by_key);
  }
  out.push_back('{');
  for (const auto& [key, value] : sorted) {
    if (!out.ends_with('{')) out.push_back(',');
    AppendJsonString(key, out);
    out.push_back(':');
    AppendCanonical(value, out);
  }
  out.push_back('}');
}

void AppendCanonical(const element& value, std::string& out) {
  switch (value.type()) {
    case element_type::OBJECT:
      AppendCanonical(object(value), out);
      return;
    case element_type::ARRAY: {
      out.push_back('[');
      for (const element item : array(value)) {
        if (!out.ends_with('[')) out.push_back(',');
        AppendCanonical(item, out);
      }
      out.push_back(']');
      return;
    }
    case element_type::STRING:
      AppendJsonString(std::string_view(value), out);
      return;
    case element_type::INT64:
      StrAppend(&out, int64_t(value));
      return;
    case element_type::UINT64:
      StrAppend(&out, uint64_t(value));
      return;
    case element_type::DOUBLE:
      AppendJsonDouble(double(value), out);
      return;
    case element_type::BOOL:
      out.append(bool(value) ? "true" : "false");
      return;
    case element_type::NULL_VALUE:
      out.append("null");
      return;
  }
}

// Appends the member `key`, or "{}" if it is missing or not an object.
void AppendObject(const object& parent, std::string_view key, std::string& out) {
  object members;
  if (parent.at_key(key).get(members)) {
    out.append("{}");
  } else {
    AppendCanonical(members, out);
  }
}

std::string TextIn(const object& parent, std::string_view key) {
  std::string_view text;
  return parent.at_key(key).get(text) ? std::string() : std::string(text);
}

std::optional<std::string> EntryOf(const object& metadata, std::string_view map,
                                   std::string_view key) {
  object entries;
  std::string_view text;
  if (metadata.at_key(map).get(entries) || entries.at_key(key).get(text)) return std::nullopt;
  return std::string(text);
}

// True when the object's status or annotation says that it is a copy of an original in `source`.
bool SaysItIsCopy(const StoredCopy& stored, std::string_view source) {
  return stored.reason == kReasonCopied || stored.operator_namespace == source;
}

bool IsForeign(const StoredCopy& stored, std::string_view source) {
  return !source.empty() && source != stored.key.ns;
}

}  // namespace

absl::StatusOr<StoredCopy> ReadStoredCopy(std::string_view json) {
  thread_local simdjson::dom::parser parser;
  object root, metadata;
  if (const auto error = parser.parse(json.data(), json.size()).get(root)) {
    return absl::InvalidArgumentError(StrCat("object: ", simdjson::error_message(error)));
  }
  if (root.at_key("metadata").get(metadata)) {
    return absl::InvalidArgumentError("metadata: missing");
  }
  StoredCopy copy;
  copy.key = {TextIn(metadata, "namespace"), TextIn(metadata, "name")};
  if (copy.key.name.empty()) return absl::InvalidArgumentError("metadata.name: missing");
  copy.uid = TextIn(metadata, "uid");
  copy.resource_version = TextIn(metadata, "resourceVersion");
  copy.deleting = !TextIn(metadata, "deletionTimestamp").empty();
  copy.copied_from = EntryOf(metadata, "labels", kCopiedFromLabel);
  copy.operator_namespace = EntryOf(metadata, "annotations", kOperatorNamespaceAnnotation);
  object status;
  if (!root.at_key("status").get(status)) copy.reason = TextIn(status, "reason");

  copy.body.reserve(json.size());
  copy.body.append(R"({"labels":)");
  AppendObject(metadata, "labels", copy.body);
  copy.body.append(R"(,"annotations":)");
  AppendObject(metadata, "annotations", copy.body);
  copy.body.append(R"(,"spec":)");
  AppendObject(root, "spec", copy.body);
  copy.body.push_back('}');
  AppendObject(root, "status", copy.status);
  return copy;
}

bool MayOverwrite(const StoredCopy& stored, std::string_view source) {
  if (!stored.copied_from.has_value() || !IsForeign(stored, source)) return false;
  return *stored.copied_from == source || SaysItIsCopy(stored, *stored.copied_from) ||
         SaysItIsCopy(stored, source);
}

bool IsProvenCopy(const StoredCopy& stored) {
  return stored.copied_from.has_value() && IsForeign(stored, *stored.copied_from) &&
         SaysItIsCopy(stored, *stored.copied_from);
}

}  // namespace steward::olm
