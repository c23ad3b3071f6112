#include "plugin/terminal/terminal.h"

#include <algorithm>
#include <limits>

#include "absl/strings/ascii.h"
#include "base/text/printable.h"
#include "base/text/str_cat.h"

namespace steward::plugin {
namespace {

constexpr size_t kFewestColumns = 20;
constexpr size_t kUnlimited = std::numeric_limits<size_t>::max();

std::string_view CodeOf(Style style) {
  switch (style) {
    case Style::kPlain:
      return "";
    case Style::kStrong:
      return "\x1b[1m";
    case Style::kGood:
      return "\x1b[32m";
    case Style::kWarning:
      return "\x1b[33m";
    case Style::kBad:
      return "\x1b[31m";
    case Style::kFaint:
      return "\x1b[2m";
  }
  return "";
}

}  // namespace

Terminal::Terminal(TerminalOptions options) : options_(std::move(options)) {
  if (options_.write_aside != nullptr) return;
  options_.write_aside = options_.write;
  options_.colours_aside = options_.colours;
}

std::string Terminal::Render(const Row& row, size_t columns, bool colours) {
  std::string out;
  for (const Piece& piece : row) {
    const std::string text = CutTo(Printable(piece.text), columns);
    if (columns != kUnlimited) columns -= std::min(columns, Columns(text));
    const std::string_view code = colours ? CodeOf(piece.style) : "";
    StrAppend(&out, code, text, code.empty() ? "" : "\x1b[0m");
  }
  return out;
}

void Terminal::Line(std::string_view text, Style style) {
  Line(Row{Piece{std::string(text), style}});
}

void Terminal::Line(const Row& row) { Write(options_.write, row, options_.colours); }

void Terminal::Note(std::string_view text, Style style) {
  Write(options_.write_aside, Row{Piece{std::string(text), style}}, options_.colours_aside);
}

void Terminal::Write(const TerminalOptions::Writer& write, const Row& row, bool colours) {
  // Remove the live area first, because both writers may write to the same screen.
  const std::vector<Row> below = drawn_ > 0 ? rows_ : std::vector<Row>();
  Clear();
  write(StrCat(Render(row, kUnlimited, colours), "\n"));
  if (!below.empty()) Draw(below);
}

void Terminal::Draw(const std::vector<Row>& rows) {
  if (!options_.live || (rows.empty() && drawn_ == 0)) return;
  const size_t columns =
      std::max<size_t>(kFewestColumns, options_.columns ? std::max(0, options_.columns()) : 80);
  std::string out;
  // Moves the cursor to the first drawn row, and erases everything from there on.
  if (drawn_ > 0) StrAppend(&out, "\r\x1b[", drawn_, "A\x1b[J");
  // Leave the last column free, because some terminals break the line when it is written to.
  for (const Row& row : rows)
    StrAppend(&out, Render(row, columns - 1, options_.colours_aside), "\n");
  options_.write_aside(out);
  drawn_ = rows.size();
  rows_ = rows;
}

void Terminal::Draw(std::string_view text, std::string_view aside) {
  Row row = {Piece{std::string(text), Style::kPlain}};
  if (!aside.empty()) row.push_back(Piece{StrCat("  ", aside), Style::kFaint});
  Draw(std::vector<Row>{row});
}

bool Terminal::Ask(std::string_view question) {
  Clear();
  options_.write_aside(StrCat(Printable(question), " [y/N] "));
  const std::optional<std::string> line = options_.read_line();
  if (!line.has_value()) {
    options_.write_aside("\n");
    return false;
  }
  const std::string answer = absl::AsciiStrToLower(*line);
  const std::string_view word = ToStd(absl::StripAsciiWhitespace(answer));
  return word == "y" || word == "yes";
}

}  // namespace steward::plugin
