// What the plugin says to people, and asks them.
#ifndef PLUGIN_TERMINAL_H_
#define PLUGIN_TERMINAL_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steward::plugin {

enum class Style { kPlain, kStrong, kGood, kWarning, kBad, kFaint };

struct TerminalOptions {
  std::function<void(std::string_view bytes)> write;
  // The writer is a terminal: progress is redrawn in place. Else it is only ever added to.
  bool live = false;
  bool colours = false;
  std::function<int()> columns;  // of a live one; asked for again for each drawing
  // The next line that somebody types, nullopt at the end of input. Null: nobody is there to ask.
  std::function<std::optional<std::string>()> read_line;
};

// Lines, and below them, when it is live, an area that is redrawn. Whatever is given is made
// printable here, so nothing from a cluster reaches the screen as it is. Not thread-safe.
class Terminal {
 public:
  explicit Terminal(TerminalOptions options) : options_(std::move(options)) {}

  struct Piece {
    std::string text;
    Style style = Style::kPlain;
  };
  using Row = std::vector<Piece>;

  bool live() const { return options_.live; }
  bool can_ask() const { return options_.read_line != nullptr; }

  // Adds a line.
  void Line(std::string_view text, Style style = Style::kPlain);
  void Line(const Row& row);
  // Replaces the live area; each row is cut to the terminal's width. Nothing when not live.
  void Draw(const std::vector<Row>& rows);
  // The same with one row: what is going on, and something beside it.
  void Draw(std::string_view text, std::string_view aside);
  // What is drawn stays as it is, and later lines come below it.
  void Keep() { drawn_ = 0; }
  // What is drawn goes.
  void Clear() { Draw(std::vector<Row>()); }
  // True for "y" or "yes". REQUIRES: can_ask()
  bool Ask(std::string_view question);

 private:
  std::string Render(const Row& row, size_t columns) const;

  TerminalOptions options_;
  size_t drawn_ = 0;  // rows of the live area on the screen
  std::vector<Row> rows_;
};

}  // namespace steward::plugin

#endif  // PLUGIN_TERMINAL_H_
