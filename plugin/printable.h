// Text from a cluster, made fit for a terminal.
#ifndef PLUGIN_PRINTABLE_H_
#define PLUGIN_PRINTABLE_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace steward::plugin {

// `text` with everything escaped that could steer a terminal or hide what is said: control
// characters, line breaks among them, and characters that turn the direction of writing become
// \xNN or \u{NNNN}; bytes that are no UTF-8 become U+FFFD. Whoever may name an object must not
// write on the administrator's screen.
std::string Printable(std::string_view text);

// How many columns a printable text takes at most: characters from U+1100 on are counted as two.
size_t Columns(std::string_view printable);

// A printable text cut to that many columns at most; where it is cut it ends with "…".
std::string CutTo(std::string_view printable, size_t columns);

}  // namespace steward::plugin

#endif  // PLUGIN_PRINTABLE_H_
