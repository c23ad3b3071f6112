#include "base/splice/deflated_texts.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/splice/gunzip.h"
#include "base/splice/gzip.h"

namespace steward {
namespace {

// A text whose compressed form is about as long as itself.
SharedText Noise(size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::string text(size, ' ');
  for (char& c : text) c = static_cast<char>(random());
  return SharedText(std::move(text));
}

std::string ReadBack(const DeflatedText& form, size_t size) {
  std::string file;
  AppendGzipHeader(file);
  file += form.bytes;
  AppendGzipTrailer(form.crc, size, file);
  return Gunzip(file).value_or("not gzip");
}

TEST(DeflatedTextsTest, FormsAreKeptWithTheirText) {
  DeflatedTexts texts;
  SharedText text = Noise(10000, 1);
  EXPECT_EQ(texts.Find(text), nullptr);
  const DeflatedText* form = nullptr;
  {
    const DeflatedTextPtr got = texts.Get(text);
    EXPECT_EQ(ReadBack(*got, text.size()), text.view());
    form = got.get();
  }
  const SharedText same = text;
  EXPECT_EQ(texts.Find(same).get(), form);
  EXPECT_GE(texts.bytes(), 10000u);
  EXPECT_EQ(texts.Find(Noise(10000, 1)), nullptr);  // an equal text, but another object
}

TEST(DeflatedTextsTest, GoWithTheirText) {
  DeflatedTexts texts;
  for (unsigned i = 0; i < 100; ++i) texts.Get(Noise(10000, i));
  EXPECT_EQ(texts.bytes(), 0u);
}

TEST(DeflatedTextsTest, StayWithinTheBudgetAndKeepWhatIsUsed) {
  DeflatedTexts texts(100 * 1000);
  const SharedText hot = Noise(10000, 1);
  texts.Get(hot);
  std::vector<SharedText> all;
  for (unsigned i = 2; i < 50; ++i) {
    all.push_back(Noise(10000, i));
    texts.Get(all.back());
    EXPECT_LE(texts.bytes(), 110 * 1000u);
    EXPECT_NE(texts.Find(hot), nullptr) << i;
  }
  EXPECT_GE(texts.bytes(), 80 * 1000u);
  EXPECT_EQ(texts.Find(all.front()), nullptr);
  EXPECT_NE(texts.Find(all.back()), nullptr);
}

TEST(DeflatedTextsTest, WhatIsTooLargeIsNotKept) {
  DeflatedTexts texts(100 * 1000);
  const SharedText large = Noise(50000, 1);
  const DeflatedTextPtr form = texts.Get(large);
  EXPECT_EQ(ReadBack(*form, large.size()), large.view());
  EXPECT_EQ(texts.Find(large), nullptr);
}

TEST(DeflatedTextsTest, ManyThreads) {
  DeflatedTexts texts(60 * 1000);
  std::vector<SharedText> all;
  for (unsigned i = 0; i < 20; ++i) all.push_back(Noise(5000, i));
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(t);
      for (int i = 0; i < 200; ++i) {
        const SharedText& text = all[random() % all.size()];
        const DeflatedTextPtr form = texts.Get(text);
        EXPECT_EQ(form->crc, ExtendCrc(0, text.view()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(texts.bytes(), 70 * 1000u);
}

}  // namespace
}  // namespace steward
