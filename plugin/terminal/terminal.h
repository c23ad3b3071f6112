// The terminal on which the plugin prints, and asks the user. Not thread-safe.
#ifndef PLUGIN_TERMINAL_TERMINAL_H_
#define PLUGIN_TERMINAL_TERMINAL_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace steward::plugin {

enum class Style { kPlain, kStrong, kGood, kWarning, kBad, kFaint };

struct TerminalOptions {
  using Writer = std::function<void(std::string_view bytes)>;

  // Takes the lines of the answer, as standard output does.
  Writer write;
  bool colours = false;
  // Takes progress, notes and questions, as standard error does. Null: as `write`.
  Writer write_aside = {};
  bool colours_aside = false;
  // True if `write_aside` goes to a terminal: progress is redrawn in place there. Otherwise notes
  // are only added.
  bool live = false;
  std::function<int()> columns;  // the live terminal's width; called for each drawing
  // Returns the next line that the user types, nullopt at the end of input. Null: there is no user
  // to ask.
  std::function<std::optional<std::string>()> read_line;
};

// Shows lines of an answer, notes beside them, and on a live terminal an area below that is
// redrawn. All text is made printable here, so nothing from a cluster reaches the screen unescaped.
class Terminal {
 public:
  explicit Terminal(TerminalOptions options);

  struct Piece {
    std::string text;
    Style style = Style::kPlain;
  };
  using Row = std::vector<Piece>;

  bool live() const { return options_.live; }
  bool can_ask() const { return options_.read_line != nullptr; }

  // Adds a line to the answer.
  void Line(std::string_view text, Style style = Style::kPlain);
  void Line(const Row& row);
  // Adds a note for people. A program that reads the answer does not see it.
  void Note(std::string_view text, Style style = Style::kPlain);
  // Replaces the live area; each row is cut to the terminal's width. Does nothing when not live.
  void Draw(const std::vector<Row>& rows);
  // Draws one row: a state, and a text beside it.
  void Draw(std::string_view text, std::string_view aside);
  // Keeps the drawn area on the screen; later lines come below it.
  void Keep() { drawn_ = 0; }
  // Removes the drawn area.
  void Clear() { Draw(std::vector<Row>()); }
  // Returns true for "y" or "yes". REQUIRES: can_ask()
  bool Ask(std::string_view question);

 private:
  static std::string Render(const Row& row, size_t columns, bool colours);
  void Write(const TerminalOptions::Writer& write, const Row& row, bool colours);

  TerminalOptions options_;
  size_t drawn_ = 0;  // rows of the live area on the screen
  std::vector<Row> rows_;
};

}  // namespace steward::plugin

#endif  // PLUGIN_TERMINAL_TERMINAL_H_
