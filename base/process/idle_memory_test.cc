#include "base/process/idle_memory.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/clock/fake_clock.h"

namespace steward {
namespace {

constexpr size_t kMiB = 1 << 20;

// `stuck` is the part of the idle memory that cannot be given back.
class IdleMemoryTest : public ::testing::Test {
 protected:
  IdleMemoryTest() {
    tasks_.Spawn("idle memory", memory_.Run());
    io_.poll();
  }
  ~IdleMemoryTest() override { RunOn(io_, tasks_.Stop()); }

  void PassMinutes(int minutes) {
    for (int i = 0; i < minutes; ++i) {
      clock_.Advance(absl::Minutes(1));
      io_.restart();
      while (io_.poll() > 0) {
      }
    }
  }

  size_t stuck_ = 10 * kMiB;
  size_t idle_ = 20 * kMiB;
  int trims_ = 0;
  FakeClock clock_;
  boost::asio::io_context io_{1};
  TaskGroup tasks_{io_.get_executor()};
  IdleMemory memory_{clock_,
                     {.idle = [this] { return idle_; },
                      .trim =
                          [this] {
                            ++trims_;
                            idle_ = stuck_;
                          }}};
};

TEST_F(IdleMemoryTest, LittleIsNotWorthIt) {
  PassMinutes(10);
  EXPECT_EQ(trims_, 0);
}

TEST_F(IdleMemoryTest, APeakIsGivenBackWithinAMinute) {
  idle_ = 150 * kMiB;
  PassMinutes(1);
  EXPECT_EQ(trims_, 1);
  EXPECT_EQ(idle_, stuck_);
  PassMinutes(10);
  EXPECT_EQ(trims_, 1);
  idle_ = 150 * kMiB;
  PassMinutes(1);
  EXPECT_EQ(trims_, 2) << "the next one as well";
}

TEST_F(IdleMemoryTest, WhatCannotBeGivenBackIsNotTriedAgain) {
  stuck_ = idle_ = 100 * kMiB;
  PassMinutes(1);
  EXPECT_EQ(trims_, 1);
  idle_ = 110 * kMiB;
  PassMinutes(10);
  EXPECT_EQ(trims_, 1);
}

// glibc keeps the memory of a peak of small blocks while the last of them stays in use.
TEST(IdleMemoryOfGlibcTest, IsSeenAndGivenBack) {
  const IdleMemory::Allocator allocator = IdleMemory::Real();
  const size_t before = allocator.idle();
  std::vector<std::vector<char>> blocks;
  for (int i = 0; i < 20000; ++i) blocks.emplace_back(8000, 'x');
  const size_t held = allocator.idle();
  std::vector<char> last = std::move(blocks.back());
  blocks.clear();
  blocks.shrink_to_fit();
  const size_t peak = allocator.idle();
  // glibc knows nothing of a sanitizer's allocator.
  if (held > before + 50 * kMiB) GTEST_SKIP() << "the allocator of this build is not glibc's";
  EXPECT_GT(peak, before + 100 * kMiB);
  allocator.trim();
  EXPECT_LT(allocator.idle(), before + 50 * kMiB);
  EXPECT_EQ(last.size(), 8000u);
}

}  // namespace
}  // namespace steward
