// Hexadecimal digits. Pure functions.
#ifndef BASE_TEXT_HEX_H_
#define BASE_TEXT_HEX_H_

namespace steward {

// The value of a hexadecimal digit of either case; -1 for any other character.
constexpr int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

}  // namespace steward

#endif  // BASE_TEXT_HEX_H_
