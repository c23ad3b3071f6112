#include "base/async/yield.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async/run.h"
#include "base/async/task_group.h"

namespace steward {
namespace {

namespace asio = boost::asio;

VoidTask PostThenYield(asio::io_context& io, bool& ran, bool& seen) {
  asio::post(io, [&ran] { ran = true; });
  co_await Yield();
  seen = ran;
}

TEST(YieldTest, WhatIsReadyGoesFirst) {
  asio::io_context io;
  bool ran = false;
  bool seen = false;
  RunOn(io, PostThenYield(io, ran, seen));
  EXPECT_TRUE(seen);
}

VoidTask YieldUntil(const bool& stop) {
  while (!stop) co_await Yield();
}

TEST(YieldTest, TimersAreNotStarved) {
  asio::io_context io;
  bool fired = false;
  asio::steady_timer timer(io, asio::steady_timer::clock_type::now());
  timer.async_wait([&fired](const boost::system::error_code&) { fired = true; });
  RunOn(io, YieldUntil(fired));
  EXPECT_TRUE(fired);
}

TEST(YieldTest, ALoopOfYieldsIsCancellable) {
  asio::io_context io;
  const bool never = false;
  TaskGroup group(io.get_executor());
  group.Spawn("yields", YieldUntil(never));
  io.poll_one();
  RunOn(io, group.Stop());
  EXPECT_EQ(group.size(), 0u);
}

}  // namespace
}  // namespace steward
