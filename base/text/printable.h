// Text from a cluster, made safe for a terminal. Pure functions.
#ifndef BASE_TEXT_PRINTABLE_H_
#define BASE_TEXT_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace steward {

// `text` with escapes for all characters that could control a terminal or hide text. Control
// characters, including line breaks, and characters that change the direction of writing become
// \xNN or \u{NNNN}; bytes that are not UTF-8 become U+FFFD. A user who may name an object must not
// be able to control the administrator's screen.
std::string Printable(std::string_view text);

// Escapes as Printable does, but keeps line breaks and tabs.
std::string PrintableLines(std::string_view text);

// The number of columns that a printable text takes at most: characters from U+1100 on count as
// two.
size_t Columns(std::string_view printable);

// A printable text cut to this many columns at most; a cut text ends with "…".
std::string CutTo(std::string_view printable, size_t columns);

}  // namespace steward

#endif  // BASE_TEXT_PRINTABLE_H_
