#include "base/splice/gzip_rope.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/splice/gunzip.h"
#include "base/splice/gzip.h"

namespace steward {
namespace {

std::string Flatten(const SplicedBytes& bytes) {
  std::string whole;
  size_t begin = 0;
  for (const SplicedBytes::Splice& splice : bytes.splices) {
    whole += bytes.own.substr(begin, splice.at - begin);
    whole += splice.bytes;
    begin = splice.at;
  }
  return whole + bytes.own.substr(begin);
}

// A text of which one half compresses well and the other does not.
std::string Text(std::mt19937& random, size_t size) {
  std::string text(size, 'x');
  for (size_t i = 0; i < size / 2; ++i) text[i] = static_cast<char>(random());
  return text;
}

TEST(GzipTest, ReadsBack) {
  std::mt19937 random(1);
  for (size_t size : {0, 1, 1023, 65535, 65536, 300000}) {
    SCOPED_TRACE(size);
    const std::string text = Text(random, size);
    EXPECT_EQ(Gunzip(Gzip(text, 1)), text);
    EXPECT_EQ(Gunzip(Gzip(text, 9)), text);
    std::string stored;
    AppendGzipHeader(stored);
    AppendStored(text, stored);
    AppendGzipTrailer(ExtendCrc(0, text), text.size(), stored);
    EXPECT_EQ(Gunzip(stored), text);
  }
}

// The whole reads back, whatever its pieces are and wherever the stream is cut into writes.
TEST(GzipRopeTest, AnyPiecesReadBack) {
  std::mt19937 random(2);
  DeflatedTexts texts;
  std::vector<SharedText> shared;
  for (size_t size : {512, 600, 5000, 70000, 200000}) shared.emplace_back(Text(random, size));
  for (int round = 0; round < 50; ++round) {
    GzipRope gzip(texts);
    std::string sent, want;
    const int writes = static_cast<int>(random() % 4);
    for (int write = 0; write <= writes; ++write) {
      Rope rope;
      for (unsigned piece = random() % 6; piece > 0; --piece) {
        if (random() % 2 == 0) {
          rope.Splice(shared[random() % shared.size()]);
        } else {
          rope.text() += Text(random, random() % 3 == 0 ? random() % 100000 : random() % 300);
        }
      }
      rope.AppendTo(want);
      SplicedBytes bytes = gzip.Append(rope);
      if (write == writes) gzip.Finish(bytes);
      sent += Flatten(bytes);
    }
    ASSERT_EQ(Gunzip(sent), want);
  }
}

TEST(GzipRopeTest, NothingAtAll) {
  DeflatedTexts texts;
  GzipRope gzip(texts);
  SplicedBytes bytes;
  gzip.Finish(bytes);
  EXPECT_EQ(Gunzip(Flatten(bytes)), "");
}

TEST(GzipRopeTest, SharedTextIsCompressedOnce) {
  DeflatedTexts texts;
  const SharedText shared(std::string(100000, 'x'));
  Rope rope;
  rope.Splice(shared);
  rope.Splice(shared);
  const SplicedBytes first = GzipRope(texts).Append(rope);
  const SplicedBytes second = GzipRope(texts).Append(rope);
  ASSERT_EQ(first.splices.size(), 2u);
  EXPECT_EQ(first.splices[0].bytes.data(), first.splices[1].bytes.data());
  EXPECT_EQ(first.splices[0].bytes.data(), second.splices[0].bytes.data());
  EXPECT_LT(texts.bytes(), 1000u);
}

TEST(TakeBytesTest, LeavesTheRopeEmpty) {
  const SharedText shared(std::string(1000, 's'));
  Rope rope;
  rope.text() += "a";
  rope.Splice(shared);
  rope.text() += "b";
  const SplicedBytes bytes = TakeBytes(rope);
  EXPECT_EQ(Flatten(bytes), "a" + std::string(shared.view()) + "b");
  EXPECT_EQ(bytes.splices[0].bytes.data(), shared.view().data());
  EXPECT_TRUE(rope.empty());
}

}  // namespace
}  // namespace steward
