#include "plugin/terminal/printer.h"

#include <algorithm>

#include "base/text/printable.h"
#include "base/text/str_cat.h"

namespace steward::plugin {
namespace {

constexpr size_t kGap = 3;
constexpr size_t kLabelWidth = 18;

// The width of the text on the screen.
size_t WidthOf(const std::string& text) { return Columns(Printable(text)); }

}  // namespace

Table::Table(const std::vector<std::string>& header) {
  Terminal::Row row;
  for (const std::string& name : header) row.push_back({name, Style::kPlain});
  rows_.push_back(std::move(row));
}

void Table::Print(Terminal& terminal) const {
  std::vector<size_t> widths(rows_[0].size());
  for (size_t r = first_; r < rows_.size(); ++r) {
    const Terminal::Row& row = rows_[r];
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i].text));
  }
  for (size_t r = first_; r < rows_.size(); ++r) {
    const Terminal::Row& row = rows_[r];
    Terminal::Row shown = row;
    for (size_t i = 0; i + 1 < row.size(); ++i) {
      shown[i].text.append(widths[i] - WidthOf(row[i].text) + kGap, ' ');
    }
    terminal.Line(shown);
  }
}

void PrintField(Terminal& terminal, std::string_view label, std::string_view text, Style style) {
  std::string padded(label);
  padded.resize(kLabelWidth, ' ');
  terminal.Line(Terminal::Row{Terminal::Piece{padded, Style::kFaint}, {std::string(text), style}});
}

void PrintSome(Terminal& terminal, const std::vector<std::string>& lines, size_t most,
               Style style) {
  for (size_t i = 0; i < std::min(most, lines.size()); ++i) {
    terminal.Line(StrCat("  ", lines[i]), style);
  }
  if (lines.size() > most) terminal.Line(StrCat("  and ", lines.size() - most, " more"), style);
}

std::string Bar(int64_t done, int64_t total, size_t width) {
  // The bar is full only when nothing is left.
  const size_t filled =
      total == 0 ? width
                 : static_cast<size_t>(static_cast<double>(done) / static_cast<double>(total) *
                                       static_cast<double>(width));
  return StrCat("[", std::string(filled, '#'), std::string(width - filled, '-'), "]");
}

}  // namespace steward::plugin
