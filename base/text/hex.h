// Hexadecimal digits. Pure functions.
#ifndef BASE_TEXT_HEX_H_
#define BASE_TEXT_HEX_H_

#include <array>

namespace steward {

// A table, since digits come in no order that a processor could predict.
inline constexpr std::array<signed char, 256> kHexDigits = [] {
  std::array<signed char, 256> values;
  values.fill(-1);
  for (int i = 0; i < 10; ++i) values['0' + i] = static_cast<signed char>(i);
  for (int i = 0; i < 6; ++i) {
    values['a' + i] = values['A' + i] = static_cast<signed char>(10 + i);
  }
  return values;
}();

// The value of a hexadecimal digit of either case; -1 for any other character.
constexpr int HexDigit(char c) { return kHexDigits[static_cast<unsigned char>(c)]; }

}  // namespace steward

#endif  // BASE_TEXT_HEX_H_
