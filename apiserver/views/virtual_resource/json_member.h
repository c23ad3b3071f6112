// Members of JSON objects, appended to text. Pure functions.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_JSON_MEMBER_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_JSON_MEMBER_H_

#include <string>
#include <string_view>

#include "base/json/json_text.h"
#include "kube/meta/selector.h"

namespace steward::views {

// Appends `,"key":`, or without the comma right after an opening bracket.
inline void AppendKey(std::string_view key, std::string& out) {
  if (out.back() != '{') out.push_back(',');
  out.push_back('"');
  out.append(key);
  out.append("\":");
}

// Appends `,"key":"value"` likewise.
inline void AppendMember(std::string_view key, std::string_view value, std::string& out) {
  AppendKey(key, out);
  AppendJsonString(value, out);
}

// Appends `,"labels":{...}` likewise, unless there are none.
inline void AppendLabels(const kube::LabelMap& labels, std::string& out) {
  if (labels.empty()) return;
  AppendKey("labels", out);
  out.push_back('{');
  for (const auto& [key, value] : labels) {
    if (out.back() != '{') out.push_back(',');
    AppendJsonString(key, out);
    out.push_back(':');
    AppendJsonString(value, out);
  }
  out.push_back('}');
}

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_JSON_MEMBER_H_
