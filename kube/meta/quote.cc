#include "kube/meta/quote.h"

#include <cstdint>

#include "base/json/utf8.h"

namespace steward::kube {
namespace {

constexpr char kHex[] = "0123456789abcdef";

struct Range {
  uint32_t first, last;
};
// Unicode categories Cc, Cf, Co, Cs, Zl, Zp and Zs (but the ASCII space).
constexpr Range kNotPrintable[] = {
    {0x00, 0x1F},       {0x7F, 0xA0},        {0xAD, 0xAD},       {0x600, 0x605},
    {0x61C, 0x61C},     {0x6DD, 0x6DD},      {0x70F, 0x70F},     {0x890, 0x891},
    {0x8E2, 0x8E2},     {0x1680, 0x1680},    {0x180E, 0x180E},   {0x2000, 0x200F},
    {0x2028, 0x202F},   {0x205F, 0x206F},    {0x3000, 0x3000},   {0xE000, 0xF8FF},
    {0xFEFF, 0xFEFF},   {0xFFF0, 0xFFFB},    {0xFFFE, 0xFFFF},   {0x110BD, 0x110BD},
    {0x110CD, 0x110CD}, {0x13430, 0x1343F},  {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A},
    {0xE0000, 0xE00FF}, {0xE01F0, 0x10FFFF},
};

bool IsPrintable(uint32_t code) {
  for (const Range& range : kNotPrintable) {
    if (code < range.first) return true;
    if (code <= range.last) return false;
  }
  return true;
}

void AppendHex(char letter, int digits, uint32_t code, std::string& out) {
  out += '\\';
  out += letter;
  for (int i = digits - 1; i >= 0; --i) out += kHex[code >> (4 * i) & 15];
}

void AppendAsciiEscape(char c, std::string& out) {
  constexpr std::string_view kControls = "\a\b\t\n\v\f\r";
  constexpr std::string_view kLetters = "abtnvfr";
  if (const size_t i = kControls.find(c); i != std::string_view::npos) {
    out += '\\';
    out += kLetters[i];
  } else {
    AppendHex('x', 2, static_cast<unsigned char>(c), out);
  }
}

}  // namespace

std::string Quote(std::string_view s) {
  std::string out = "\"";
  out.reserve(s.size() + 2);
  for (size_t i = 0; i < s.size();) {
    const Utf8Char c = DecodeUtf8(s, i);
    const size_t length = c.length == 0 ? 1 : c.length;
    if (c.length == 0) {
      AppendHex('x', 2, static_cast<unsigned char>(s[i]), out);
    } else if (c.code == '"' || c.code == '\\') {
      out += '\\';
      out += s[i];
    } else if (IsPrintable(c.code)) {
      out.append(s, i, length);
    } else if (c.code < 0x80) {
      AppendAsciiEscape(s[i], out);
    } else if (c.code < 0x10000) {
      AppendHex('u', 4, c.code, out);
    } else {
      AppendHex('U', 8, c.code, out);
    }
    i += length;
  }
  out += '"';
  return out;
}

}  // namespace steward::kube
