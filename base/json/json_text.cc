#include "base/json/json_text.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/json/utf8.h"

namespace steward {
namespace {

constexpr char kHex[] = "0123456789abcdef";

enum : unsigned char { kPlain, kEscape, kHtml, kNonAscii };

constexpr std::array<unsigned char, 256> MakeClasses() {
  std::array<unsigned char, 256> classes{};
  for (int c = 0; c < 0x20; ++c) classes[c] = kEscape;
  for (int c = 0x80; c < 0x100; ++c) classes[c] = kNonAscii;
  classes['"'] = classes['\\'] = kEscape;
  classes['&'] = classes['<'] = classes['>'] = kHtml;
  return classes;
}
constexpr std::array<unsigned char, 256> kClasses = MakeClasses();

void AppendUnicodeEscape(uint32_t code, std::string& out) {
  const char escape[] = {
      '\\',           'u', kHex[code >> 12 & 15], kHex[code >> 8 & 15], kHex[code >> 4 & 15],
      kHex[code & 15]};
  out.append(escape, sizeof(escape));
}

void AppendEscape(char c, std::string& out) {
  switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    default:
      AppendUnicodeEscape(static_cast<unsigned char>(c), out);
  }
}

constexpr size_t kWord = sizeof(uint64_t);

// True if the eight bytes at `bytes` are all written as they are. In each test below the top bit of
// a byte is set if the byte is not. A borrow may set it in higher bytes, too, but never clears it.
template <bool kHtmlSafe>
bool IsPlainWord(const char* bytes) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  const auto is_any = [](uint64_t word, unsigned char c) {
    const uint64_t zero_if_equal = word ^ (kOnes * c);
    return (zero_if_equal - kOnes) & ~zero_if_equal;
  };
  uint64_t word;
  std::memcpy(&word, bytes, kWord);
  uint64_t escaped = word;                   // not ASCII
  escaped |= (word - kOnes * 0x20) & ~word;  // a control character
  escaped |= is_any(word, '"') | is_any(word, '\\');
  if (kHtmlSafe) escaped |= is_any(word, '&') | is_any(word, '<') | is_any(word, '>');
  return (escaped & kOnes << 7) == 0;
}

// The number of bytes at the beginning of `s` that are certainly written as they are.
template <bool kHtmlSafe>
size_t PlainBytes(std::string_view s) {
  size_t plain = 0;
  for (; plain + kWord <= s.size(); plain += kWord) {
    if (!IsPlainWord<kHtmlSafe>(s.data() + plain)) return plain;
  }
  const bool ends_plain = s.size() >= kWord && IsPlainWord<kHtmlSafe>(s.data() + s.size() - kWord);
  return ends_plain ? s.size() : plain;
}

template <bool kHtmlSafe>
void AppendString(std::string_view s, std::string& out) {
  out += '"';
  size_t done = 0;
  const auto flush = [&](size_t end) { out.append(s, done, end - done); };
  for (size_t i = PlainBytes<kHtmlSafe>(s); i < s.size();) {
    const unsigned char kind = kClasses[static_cast<unsigned char>(s[i])];
    if (kind == kPlain || (kind == kHtml && !kHtmlSafe)) [[likely]] {
      ++i;
      continue;
    }
    if (kind == kNonAscii) {
      const Utf8Char c = DecodeUtf8(s, i);
      if (c.length != 0 && c.code != 0x2028 && c.code != 0x2029) {
        i += c.length;
        continue;
      }
      flush(i);
      AppendUnicodeEscape(c.length == 0 ? 0xFFFD : c.code, out);
      i += c.length == 0 ? 1 : c.length;
    } else {
      flush(i);
      if (kind == kHtml) {
        AppendUnicodeEscape(static_cast<unsigned char>(s[i]), out);
      } else {
        AppendEscape(s[i], out);
      }
      ++i;
    }
    done = i;
    i += PlainBytes<kHtmlSafe>(s.substr(i));
  }
  flush(s.size());
  out += '"';
}

template <typename Integer>
void AppendInteger(Integer n, std::string& out) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof(buffer), n).ptr);
}

}  // namespace

void AppendJsonString(std::string_view s, std::string& out) { AppendString<false>(s, out); }
void AppendHtmlSafeJsonString(std::string_view s, std::string& out) { AppendString<true>(s, out); }

void AppendJsonDouble(double d, std::string& out) {
  if (!std::isfinite(d)) {
    out += "null";
    return;
  }
  char buffer[64];
  const double size = std::fabs(d);
  const auto format = d != 0 && (size < 1e-6 || size >= 1e21) ? std::chars_format::scientific
                                                              : std::chars_format::fixed;
  const std::string_view text(
      buffer, std::to_chars(buffer, buffer + sizeof(buffer), d, format).ptr - buffer);
  const size_t exponent = text.find('e');
  const std::string_view mantissa = text.substr(0, exponent);
  out += mantissa;
  if (mantissa.find('.') == std::string_view::npos) out += ".0";
  if (exponent != std::string_view::npos) out += text.substr(exponent);
}

void AppendJson(const boost::json::value& value, std::string& out) {
  switch (value.kind()) {
    case boost::json::kind::null:
      out += "null";
      break;
    case boost::json::kind::bool_:
      out += value.get_bool() ? "true" : "false";
      break;
    case boost::json::kind::int64:
      AppendInteger(value.get_int64(), out);
      break;
    case boost::json::kind::uint64:
      AppendInteger(value.get_uint64(), out);
      break;
    case boost::json::kind::double_:
      AppendJsonDouble(value.get_double(), out);
      break;
    case boost::json::kind::string:
      AppendJsonString(value.get_string(), out);
      break;
    case boost::json::kind::array: {
      out += '[';
      bool first = true;
      for (const boost::json::value& element : value.get_array()) {
        if (!std::exchange(first, false)) out += ',';
        AppendJson(element, out);
      }
      out += ']';
      break;
    }
    case boost::json::kind::object: {
      out += '{';
      bool first = true;
      for (const auto& member : value.get_object()) {
        if (!std::exchange(first, false)) out += ',';
        AppendJsonString(member.key(), out);
        out += ':';
        AppendJson(member.value(), out);
      }
      out += '}';
      break;
    }
  }
}

std::string Serialize(const boost::json::value& value) {
  std::string out;
  AppendJson(value, out);
  return out;
}

}  // namespace steward
