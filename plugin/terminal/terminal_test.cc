#include "plugin/terminal/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace steward::plugin {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class TerminalTest : public ::testing::Test {
 protected:
  Terminal Make(bool live, bool colours = false) {
    TerminalOptions options;
    options.write = [this](std::string_view bytes) { screen += bytes; };
    options.live = live;
    options.colours = colours;
    options.columns = [] { return 30; };
    options.read_line = [this] { return typed; };
    return Terminal(std::move(options));
  }
  std::string screen;
  std::optional<std::string> typed;
};

TEST_F(TerminalTest, PlainWhenPiped) {
  Terminal terminal = Make(/*live=*/false);
  terminal.Line("one", Style::kBad);
  terminal.Draw("progress", "0:01");
  terminal.Clear();
  terminal.Line("two");
  EXPECT_EQ(screen, "one\ntwo\n");
}

TEST_F(TerminalTest, RedrawsBelowTheLines) {
  Terminal terminal = Make(/*live=*/true);
  terminal.Draw({{{"a"}}, {{"b"}}});
  EXPECT_EQ(screen, "a\nb\n");
  screen.clear();
  terminal.Draw({{{"c"}}});
  EXPECT_EQ(screen, "\r\x1b[2A\x1b[Jc\n");
  screen.clear();
  terminal.Line("said");
  EXPECT_EQ(screen, "\r\x1b[1A\x1b[Jsaid\nc\n");
  screen.clear();
  terminal.Keep();
  terminal.Line("last");
  EXPECT_EQ(screen, "last\n");
}

TEST_F(TerminalTest, RowsAreCutToTheWidth) {
  Terminal terminal = Make(/*live=*/true);
  terminal.Draw(std::string(20, 'a'), std::string(20, 'b'));
  EXPECT_EQ(screen, std::string(20, 'a') + "  " + std::string(6, 'b') + "…\n");
}

TEST_F(TerminalTest, ColoursOnlyWhenWanted) {
  Terminal coloured = Make(true, /*colours=*/true);
  coloured.Line("x", Style::kGood);
  EXPECT_EQ(screen, "\x1b[32mx\x1b[0m\n");
  screen.clear();
  Terminal plain = Make(true);
  plain.Line("x", Style::kGood);
  EXPECT_EQ(screen, "x\n");
}

TEST_F(TerminalTest, WhatComesFromTheClusterIsEscapedEverywhere) {
  Terminal terminal = Make(true, true);
  terminal.Line("\x1b[2J", Style::kBad);
  terminal.Draw("\x1b[2J", "\x1b[2J");
  typed = "n";
  terminal.Ask("\x1b[2J");
  EXPECT_THAT(screen, Not(HasSubstr("\x1b[2J")));
  EXPECT_THAT(screen, HasSubstr("\\x1b[2J"));
}

TEST_F(TerminalTest, AnswersGoElsewhereThanTheRest) {
  std::string answer;
  std::string aside;
  TerminalOptions options;
  options.write = [&answer](std::string_view bytes) { answer += bytes; };
  options.write_aside = [&aside](std::string_view bytes) { aside += bytes; };
  options.live = true;
  options.colours_aside = true;
  options.read_line = [] { return "y"; };
  Terminal terminal(std::move(options));
  terminal.Draw("progress", "0:01");
  terminal.Line("answer", Style::kBad);
  terminal.Clear();
  terminal.Note("note", Style::kBad);
  EXPECT_TRUE(terminal.Ask("sure?"));
  EXPECT_EQ(answer, "answer\n");
  EXPECT_THAT(aside, HasSubstr("progress"));
  EXPECT_THAT(aside, HasSubstr("\x1b[31mnote\x1b[0m\nsure? [y/N] "));
}

TEST_F(TerminalTest, Asks) {
  Terminal terminal = Make(true);
  for (const char* yes : {"y", "Y", "yes", " YES \r"}) {
    typed = yes;
    EXPECT_TRUE(terminal.Ask("sure?")) << yes;
  }
  for (const char* no : {"", "n", "no", "yess", "yy"}) {
    typed = no;
    EXPECT_FALSE(terminal.Ask("sure?")) << no;
  }
  typed = std::nullopt;
  EXPECT_FALSE(terminal.Ask("sure?"));
  EXPECT_THAT(screen, HasSubstr("sure? [y/N] "));
}

}  // namespace
}  // namespace steward::plugin
