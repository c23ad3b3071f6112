// Concatenation of std::string_view with abseil's functions. Debian's abseil has a string_view of
// its own, which a std::string_view does not convert to; these functions convert between the two.
// Pure functions.
#ifndef BASE_TEXT_STR_CAT_H_
#define BASE_TEXT_STR_CAT_H_

#include <string>
#include <string_view>
#include <type_traits>

#include "absl/base/attributes.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace steward {

inline absl::string_view ToAbsl(std::string_view s) { return {s.data(), s.size()}; }
inline std::string_view ToStd(absl::string_view s ABSL_ATTRIBUTE_LIFETIME_BOUND) {
  return {s.data(), s.size()};
}

namespace text_internal {
template <typename T>
decltype(auto) Piece(const T& value) {
  if constexpr (std::is_same_v<T, std::string_view>) {
    return ToAbsl(value);
  } else {
    return (value);
  }
}
}  // namespace text_internal

// absl::StrCat and absl::StrAppend for std::string_view as well.
template <typename... Args>
std::string StrCat(const Args&... args) {
  return absl::StrCat(text_internal::Piece(args)...);
}
template <typename... Args>
void StrAppend(std::string* out, const Args&... args) {
  absl::StrAppend(out, text_internal::Piece(args)...);
}

}  // namespace steward

#endif  // BASE_TEXT_STR_CAT_H_
