#include "apiserver/rest/encoding/array_document.h"

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "base/json/json_text.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "base/yaml/yaml.h"

namespace steward::rest {
namespace {

// Appends `text` with the lines after the first indented by `indent`; empty lines stay empty. In
// JSON and YAML every newline of a document belongs to its layout, so the meaning does not change.
void AppendIndented(std::string_view text, std::string_view indent, std::string& out) {
  while (true) {
    const size_t end = text.find('\n');
    if (end == std::string_view::npos || end + 1 == text.size()) {
      out += text;
      return;
    }
    out += text.substr(0, end + 1);
    text.remove_prefix(end + 1);
    if (text.front() != '\n') out += indent;
  }
}

}  // namespace

ArrayDocument::ArrayDocument(const OutputFormat& format, std::string head, std::string array_key)
    : layout_(format.serializer == Serializer::kYaml ? Layout::kYaml
              : format.pretty                        ? Layout::kIndented
                                                     : Layout::kCompact),
      head_(std::move(head)),
      array_key_(std::move(array_key)) {}

absl::Status ArrayDocument::Begin(std::string& out) {
  const std::string_view open = std::string_view(head_).substr(0, head_.size() - 1);
  if (layout_ == Layout::kCompact) {
    StrAppend(&out, open, ",\"", array_key_, "\":[");
    return absl::OkStatus();
  }
  if (layout_ == Layout::kIndented) {
    const std::string indented = IndentJson(head_);
    StrAppend(&out, std::string_view(indented).substr(0, indented.size() - 2), ",\n  \"",
              array_key_, "\": [");
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const boost::json::value head, ParseJson(head_));
  boost::json::object before, after;
  for (const auto& [key, value] : head.as_object()) {
    (std::string_view(key.data(), key.size()) < array_key_ ? before : after).emplace(key, value);
  }
  if (!before.empty()) WriteYaml(before, out);
  if (!after.empty()) WriteYaml(after, tail_);
  StrAppend(&out, array_key_, ":");
  return absl::OkStatus();
}

absl::Status ArrayDocument::Relayout(std::string_view element, std::string& out) {
  const bool first = std::exchange(first_, false);
  if (layout_ == Layout::kIndented) {
    out += first ? "\n    " : ",\n    ";
    AppendIndented(IndentJson(element), "    ", out);
    return absl::OkStatus();
  }
  std::string yaml;
  RETURN_IF_ERROR(WriteJsonAsYaml(element, yaml));
  out += first ? "\n- " : "- ";
  AppendIndented(yaml, "  ", out);
  return absl::OkStatus();
}

void ArrayDocument::End(std::string& out) {
  switch (layout_) {
    case Layout::kCompact:
      out += "]}\n";
      break;
    case Layout::kIndented:
      out += first_ ? "]\n}" : "\n  ]\n}";
      break;
    case Layout::kYaml:
      if (first_) out += " []\n";
      out += tail_;
      break;
  }
}

bool IsCompact(const OutputFormat& format) {
  return format.serializer != Serializer::kYaml && !format.pretty;
}

absl::Status AppendDocument(const OutputFormat& format, std::string_view json, std::string& out) {
  if (format.serializer == Serializer::kYaml) return WriteJsonAsYaml(json, out);
  if (format.pretty) {
    out += IndentJson(json);
  } else {
    StrAppend(&out, json, "\n");
  }
  return absl::OkStatus();
}

}  // namespace steward::rest
