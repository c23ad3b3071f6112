#include "plugin/bundle/findings.h"

#include <algorithm>
#include <utility>

#include "base/text/str_cat.h"
#include "base/yaml/field_line.h"

namespace steward::plugin {
namespace {

bool IsName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '/';
}

}  // namespace

std::vector<std::string> FieldOf(std::string_view path) {
  std::vector<std::string> field;
  std::string element;
  for (size_t i = 0; i <= path.size(); ++i) {
    const char c = i < path.size() ? path[i] : '.';
    if (IsName(c)) {
      element += c;
    } else if (c == '.' || c == '[' || c == ']') {
      if (!element.empty()) field.push_back(std::move(element));
      element.clear();
    } else {
      return {};
    }
  }
  return field;
}

void Findings::Add(const std::string& file, Finding::Severity severity, std::string what) {
  size_t line = 1;
  const size_t end = what.find(": ");
  const auto text = texts_.find(file);
  if (end != std::string::npos && text != texts_.end()) {
    line = LineOfField(text->second, FieldOf(std::string_view(what).substr(0, end)));
  }
  AddAt(StrCat(file, ":", line), severity, std::move(what));
}

bool Findings::refuses() const {
  return std::any_of(all_.begin(), all_.end(), [](const Finding& each) {
    return each.severity == Finding::Severity::kRefused;
  });
}

}  // namespace steward::plugin
