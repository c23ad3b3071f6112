#include "olm/payload/template_fields.h"

#include <algorithm>
#include <optional>

namespace steward::olm {
namespace {

constexpr std::string_view kOpen = "{{";
constexpr std::string_view kClose = "}}";
constexpr size_t kMaxAction = 256;  // bytes of an action

// The index behind spaces, tabs and dashes ("{{-" trims blanks).
size_t SkipBlanks(std::string_view text, size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t' || text[at] == '-')) ++at;
  return at;
}

// An action at the beginning of a text: its value, and the index behind its end.
struct Action {
  std::string value;
  size_t end = 0;
};

// {{ "text" }} at the beginning of `text`.
std::optional<Action> LiteralAt(std::string_view text) {
  size_t at = SkipBlanks(text, kOpen.size());
  if (at >= text.size() || text[at] != '"') return std::nullopt;
  Action action;
  for (++at; at < text.size() && text[at] != '"'; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    action.value += text[at];
  }
  at = SkipBlanks(text, std::min(at + 1, text.size()));
  if (text.substr(at, kClose.size()) != kClose) return std::nullopt;
  action.end = at + kClose.size();
  return action;
}

// The action at the beginning of `text` that has only a known field between braces. Its `value` is
// the field's name.
std::optional<Action> FieldAt(std::string_view text) {
  const size_t begin = SkipBlanks(text, kOpen.size());
  const size_t close = text.substr(0, kMaxAction).find(kClose, begin);
  if (close == std::string_view::npos) return std::nullopt;
  std::string_view inside = text.substr(begin, close - begin);
  while (!inside.empty() && (inside.back() == ' ' || inside.back() == '-')) inside.remove_suffix(1);
  const bool known = inside == ".ReleaseImage" || inside == ".ClusterProfile" ||
                     inside.starts_with(".Images") || inside.starts_with("index .Images");
  if (!known) return std::nullopt;
  return Action{std::string(inside), close + kClose.size()};
}

}  // namespace

FilledTemplate FillTemplate(std::string_view text, const TemplateFields& fields, bool literals) {
  FilledTemplate filled;
  size_t line = 1;
  while (!text.empty()) {
    const size_t open = std::min(text.find(kOpen), text.size());
    filled.text += text.substr(0, open);
    line += static_cast<size_t>(std::count(text.begin(), text.begin() + open, '\n'));
    text.remove_prefix(open);
    if (text.empty()) break;
    if (const std::optional<Action> field = FieldAt(text)) {
      std::string value;  // the value of .Images is never known
      if (field->value == ".ReleaseImage") value = fields.release_image;
      if (field->value == ".ClusterProfile") value = fields.profile;
      if (value.empty()) {
        filled.unfilled.push_back({line, field->value});
        filled.text += text.substr(0, field->end);
      } else {
        filled.text += value;
      }
      text.remove_prefix(field->end);
      continue;
    }
    const std::optional<Action> literal = literals ? LiteralAt(text) : std::nullopt;
    const size_t end = literal ? literal->end : kOpen.size();
    if (literal) {
      filled.text += literal->value;
      line += static_cast<size_t>(std::count(text.begin(), text.begin() + end, '\n'));
    } else {
      filled.text += kOpen;
    }
    text.remove_prefix(end);
  }
  return filled;
}

}  // namespace steward::olm
