#include "plugin/terminal/printer.h"

#include <gtest/gtest.h>

namespace steward::plugin {
namespace {

// Collects the output, with or without colours.
class PrinterTest : public ::testing::Test {
 protected:
  Terminal NewTerminal(bool colours = false) {
    TerminalOptions options;
    options.write = [this](std::string_view bytes) { screen_ += bytes; };
    options.colours = colours;
    return Terminal(options);
  }
  std::string screen_;
};

TEST_F(PrinterTest, ColumnsAreAlignedByWhatIsSeen) {
  Table table({"NAME", "PHASE", "AGE"});
  table.Add({{"etcd.v1"}, {"Ready"}, {"5s"}});
  table.Add({{"漢"}, {"a\x1b"}, {"12m"}});
  Terminal terminal = NewTerminal();
  table.Print(terminal);
  EXPECT_EQ(screen_,
            "NAME      PHASE   AGE\n"
            "etcd.v1   Ready   5s\n"
            "漢        a\\x1b   12m\n");
}

TEST_F(PrinterTest, CellsHaveAStyle) {
  Table table({"NAME", "PHASE"});
  table.Add({{"a"}, {"Stalled", Style::kBad}});
  Terminal terminal = NewTerminal(/*colours=*/true);
  table.Print(terminal);
  EXPECT_EQ(screen_, "NAME   PHASE\na      \x1b[31mStalled\x1b[0m\n");
}

TEST_F(PrinterTest, AField) {
  Terminal terminal = NewTerminal();
  PrintField(terminal, "Phase", "Ready");
  PrintField(terminal, "", "more");
  EXPECT_EQ(screen_, "Phase             Ready\n                  more\n");
}

TEST_F(PrinterTest, SomeOfMany) {
  Terminal terminal = NewTerminal();
  PrintSome(terminal, {"a", "b", "c"}, 3);
  EXPECT_EQ(screen_, "  a\n  b\n  c\n");
  screen_.clear();
  PrintSome(terminal, {"a", "b", "c"}, 2);
  EXPECT_EQ(screen_, "  a\n  b\n  and 1 more\n");
}

TEST(BarTest, IsFullOnlyAtTheEnd) {
  EXPECT_EQ(Bar(0, 10, 10), "[----------]");
  EXPECT_EQ(Bar(5, 10, 10), "[#####-----]");
  EXPECT_EQ(Bar(999, 1000, 10), "[#########-]");
  EXPECT_EQ(Bar(10, 10, 10), "[##########]");
  EXPECT_EQ(Bar(0, 0, 4), "[####]");
}

}  // namespace
}  // namespace steward::plugin
