// A long text, shortened, and as one line. Pure functions.
#ifndef BASE_TEXT_ONE_LINE_H_
#define BASE_TEXT_ONE_LINE_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

namespace steward {

// The first `most` bytes of `text`, or a little less so that no character of UTF-8 is cut, and "…"
// if there are more.
inline std::string CutText(std::string_view text, size_t most) {
  size_t end = std::min(text.size(), most);
  while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) {
    --end;
  }
  std::string cut(text.substr(0, end));
  if (text.size() > most) cut += "…";
  return cut;
}

// CutText as one line: line ends become spaces.
inline std::string OneLine(std::string_view text, size_t most) {
  std::string line = CutText(text, most);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace steward

#endif  // BASE_TEXT_ONE_LINE_H_
