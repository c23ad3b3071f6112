// Decoding of text that should be UTF-8. Pure functions.
#ifndef BASE_JSON_UTF8_H_
#define BASE_JSON_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace steward {

// One decoded character. `length` is its number of bytes; 0 = the bytes are not valid UTF-8
// (overlong forms, surrogates and values above U+10FFFF included) and the caller should step over
// one byte.
struct Utf8Char {
  uint32_t code = 0;
  size_t length = 0;
};

// REQUIRES: pos < text.size()
constexpr Utf8Char DecodeUtf8(std::string_view text, size_t pos) {
  const auto byte = [&](size_t i) -> uint32_t { return static_cast<unsigned char>(text[pos + i]); };
  const uint32_t first = byte(0);
  if (first < 0x80) return {first, 1};
  const size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - pos < length) return {};
  uint32_t code = first & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr uint32_t kLowest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLowest[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

// The longest beginning of at most `limit` bytes that splits no character.
constexpr std::string_view CutUtf8(std::string_view text, size_t limit) {
  if (text.size() <= limit) return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return text.substr(0, limit);
}

}  // namespace steward

#endif  // BASE_JSON_UTF8_H_
