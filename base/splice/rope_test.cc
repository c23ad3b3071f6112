#include "base/splice/rope.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace steward {
namespace {

std::vector<std::string> Pieces(const Rope& rope) {
  std::vector<std::string> pieces;
  rope.ForEach([&](std::string_view piece) { pieces.push_back("copied " + std::string(piece)); },
               [&](const SharedText& shared) {
                 pieces.push_back("shared " + std::to_string(shared.size()));
               });
  return pieces;
}

TEST(RopeTest, PiecesInOrder) {
  const SharedText a(std::string(1000, 'a')), b(std::string(2000, 'b'));
  Rope rope;
  EXPECT_TRUE(rope.empty());
  rope.Splice(a);
  rope.Splice(b);
  rope.text() += "x";
  rope.text() += "y";
  rope.Splice(a);
  rope.text() += "z";
  EXPECT_EQ(Pieces(rope), (std::vector<std::string>{"shared 1000", "shared 2000", "copied xy",
                                                    "shared 1000", "copied z"}));
  EXPECT_EQ(rope.size(), 4003u);
  EXPECT_EQ(rope.text_size(), 3u);
  EXPECT_EQ(rope.Flatten(),
            std::string(1000, 'a') + std::string(2000, 'b') + "xy" + std::string(1000, 'a') + "z");
  rope.Clear();
  EXPECT_TRUE(rope.empty());
  EXPECT_TRUE(Pieces(rope).empty());
}

TEST(RopeTest, ShortTextIsCopied) {
  Rope rope;
  rope.text() += "<";
  rope.Splice(SharedText("short"));
  rope.Splice(SharedText());
  rope.text() += ">";
  EXPECT_EQ(Pieces(rope), (std::vector<std::string>{"copied <short>"}));
}

TEST(SharedTextTest, ComparesAsText) {
  const SharedText a("same"), b("same"), c("other");
  EXPECT_EQ(a, b);
  EXPECT_NE(a, c);
  EXPECT_EQ(SharedText(), SharedText(""));
  EXPECT_EQ(a, "same");
  EXPECT_TRUE(SharedText("").empty());
}

}  // namespace
}  // namespace steward
