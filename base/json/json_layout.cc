#include <simdjson.h>

#include <algorithm>

#include "base/json/json_text.h"

namespace steward {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// The position after the string that starts at `pos`; the text's end if the string isn't closed.
size_t SkipString(std::string_view text, size_t pos) {
  while (true) {
    pos = text.find_first_of("\"\\", pos + 1);
    if (pos == std::string_view::npos) return text.size();
    if (text[pos] == '"') return pos + 1;
    ++pos;
    if (pos >= text.size()) return text.size();
  }
}

}  // namespace

absl::Status CompactJson(std::string_view text, std::string& out) {
  if (text.empty()) return absl::OkStatus();
  const size_t start = out.size();
  out.resize(start + text.size());
  size_t length = 0;
  const simdjson::error_code error =
      simdjson::minify(text.data(), text.size(), out.data() + start, length);
  out.resize(start + (error ? 0 : length));
  return error ? absl::InvalidArgumentError(simdjson::error_message(error)) : absl::OkStatus();
}

std::string IndentJson(std::string_view text) {
  // Levels deeper than those of any real object are not indented further, so that the output stays
  // linear in the input.
  constexpr size_t kMaxIndent = 128;
  std::string out;
  out.reserve(text.size() + text.size() / 2);
  size_t depth = 0;
  bool just_opened = false;
  const auto new_line = [&] {
    out += '\n';
    out.append(2 * std::min(depth, kMaxIndent), ' ');
  };
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (IsSpace(c)) {
      ++i;
      continue;
    }
    const bool closes = c == '}' || c == ']';
    if (just_opened && !closes) new_line();
    if (closes && depth > 0) --depth;
    if (closes && !just_opened) new_line();
    just_opened = c == '{' || c == '[';
    depth += just_opened;
    if (c == '"') {
      const size_t end = SkipString(text, i);
      out.append(text, i, end - i);
      i = end;
      continue;
    }
    out += c;
    if (c == ',') new_line();
    if (c == ':') out += ' ';
    ++i;
  }
  return out;
}

}  // namespace steward
