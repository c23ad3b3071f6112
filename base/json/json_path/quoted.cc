#include "base/json/json_path/quoted.h"

#include <cstdint>

#include "absl/strings/ascii.h"

namespace steward::json_path {
namespace {

constexpr std::string_view kLetters = "abfnrtv\\";
constexpr std::string_view kMeanings = "\a\b\f\n\r\t\v\\";
constexpr uint32_t kLargestByte = 0xFF;

// The next `count` digits of a number in this base; nullopt if there are fewer.
std::optional<uint32_t> TakeDigits(std::string_view& text, size_t count, uint32_t base) {
  if (text.size() < count) return std::nullopt;
  uint32_t number = 0;
  for (const char c : text.substr(0, count)) {
    const auto byte = static_cast<unsigned char>(c);
    if (!absl::ascii_isxdigit(byte)) return std::nullopt;
    const uint32_t digit = absl::ascii_isdigit(byte)
                               ? byte - '0'
                               : static_cast<unsigned char>(absl::ascii_tolower(byte)) - 'a' + 10U;
    if (digit >= base) return std::nullopt;
    number = number * base + digit;
  }
  text.remove_prefix(count);
  return number;
}

// False if `code` is no character.
bool AppendUtf8(uint32_t code, std::string& out) {
  const auto tail = [&](int shift) { out += static_cast<char>(0x80 | ((code >> shift) & 0x3F)); };
  if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return false;
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0 | (code >> 6));
    tail(0);
  } else if (code < 0x10000) {
    out += static_cast<char>(0xE0 | (code >> 12));
    tail(6);
    tail(0);
  } else {
    out += static_cast<char>(0xF0 | (code >> 18));
    tail(12);
    tail(6);
    tail(0);
  }
  return true;
}

// Takes the text behind a backslash, and appends its meaning. False if it is no valid escape.
bool TakeEscape(std::string_view& text, char quote, std::string& out) {
  if (text.empty()) return false;
  const char c = text.front();
  if (c >= '0' && c <= '7') {
    const std::optional<uint32_t> byte = TakeDigits(text, 3, 8);
    if (!byte || *byte > kLargestByte) return false;
    out += static_cast<char>(*byte);
    return true;
  }
  text.remove_prefix(1);
  if (c == 'x') {
    const std::optional<uint32_t> byte = TakeDigits(text, 2, 16);
    if (byte) out += static_cast<char>(*byte);
    return byte.has_value();
  }
  if (c == 'u' || c == 'U') {
    const std::optional<uint32_t> code = TakeDigits(text, c == 'u' ? 4 : 8, 16);
    return code && AppendUtf8(*code, out);
  }
  const size_t letter = kLetters.find(c);
  if (letter == std::string_view::npos && c != quote) return false;
  out += letter == std::string_view::npos ? c : kMeanings[letter];
  return true;
}

}  // namespace

std::optional<std::string> Unquote(std::string_view inside, char quote) {
  std::string plain;
  while (!inside.empty()) {
    const char c = inside.front();
    inside.remove_prefix(1);
    if (c != '\\') {
      plain += c;
    } else if (!TakeEscape(inside, quote, plain)) {
      return std::nullopt;
    }
  }
  return plain;
}

}  // namespace steward::json_path
