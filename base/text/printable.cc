#include "base/text/printable.h"

#include <algorithm>
#include <cstdint>

#include "absl/strings/str_format.h"
#include "base/json/utf8.h"

namespace steward {
namespace {

bool IsDangerous(uint32_t code) {
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return true;  // C0, DEL, C1
  if (code == 0x2028 || code == 0x2029) return true;              // line and paragraph separators
  // These are marks, embeddings, overrides and isolates of bidirectional text.
  return code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

size_t ColumnsOf(uint32_t code) {
  // "…" and the blocks of progress bars are above U+1100, and narrow.
  if (code >= 0x2000 && code < 0x2E80) return 1;
  return code >= 0x1100 ? 2 : 1;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t pos = 0; pos < text.size();) {
    const Utf8Char c = DecodeUtf8(text, pos);
    if (c.length == 0) {
      out += "\xEF\xBF\xBD";
      ++pos;
      continue;
    }
    if (!IsDangerous(c.code)) {
      out += text.substr(pos, c.length);
    } else if (c.code < 0x100) {
      out += absl::StrFormat("\\x%02x", c.code);
    } else {
      out += absl::StrFormat("\\u{%04x}", c.code);
    }
    pos += c.length;
  }
  return out;
}

std::string PrintableLines(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t end = std::min(text.find_first_of("\n\t"), text.size());
    out += Printable(text.substr(0, end));
    if (end < text.size()) out += text[end];
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

size_t Columns(std::string_view printable) {
  size_t columns = 0;
  for (size_t pos = 0; pos < printable.size();) {
    const Utf8Char c = DecodeUtf8(printable, pos);
    columns += c.length == 0 ? 1 : ColumnsOf(c.code);
    pos += c.length == 0 ? 1 : c.length;
  }
  return columns;
}

std::string CutTo(std::string_view printable, size_t columns) {
  if (Columns(printable) <= columns) return std::string(printable);
  if (columns == 0) return "";
  size_t used = 0;
  size_t pos = 0;
  while (pos < printable.size()) {
    const Utf8Char c = DecodeUtf8(printable, pos);
    const size_t width = c.length == 0 ? 1 : ColumnsOf(c.code);
    if (used + width > columns - 1) break;
    used += width;
    pos += c.length == 0 ? 1 : c.length;
  }
  return std::string(printable.substr(0, pos)) + "…";
}

}  // namespace steward
