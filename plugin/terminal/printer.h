// The forms in which all commands print their results. Not thread-safe.
#ifndef PLUGIN_TERMINAL_PRINTER_H_
#define PLUGIN_TERMINAL_PRINTER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "plugin/terminal/terminal.h"

namespace steward::plugin {

// Rows in aligned columns, under a header.
class Table {
 public:
  explicit Table(const std::vector<std::string>& header);

  // REQUIRES: as many cells as the header has.
  void Add(Terminal::Row row) { rows_.push_back(std::move(row)); }
  // Prints the rows without the header, aligned as if it was there.
  void HideHeader() { first_ = 1; }
  void Print(Terminal& terminal) const;

 private:
  size_t first_ = 0;  // row to print
  std::vector<Terminal::Row> rows_;
};

// Prints one line: a label, and its value beside it.
void PrintField(Terminal& terminal, std::string_view label, std::string_view text,
                Style style = Style::kPlain);

// Prints lines below a heading: the first `most` of them, and the number of the others.
void PrintSome(Terminal& terminal, const std::vector<std::string>& lines, size_t most,
               Style style = Style::kPlain);

// A progress bar "[#####-----]" with `width` characters between the brackets. REQUIRES: 0 <= done
// <= total
std::string Bar(int64_t done, int64_t total, size_t width);

}  // namespace steward::plugin

#endif  // PLUGIN_TERMINAL_PRINTER_H_
