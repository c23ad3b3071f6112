#include "base/async/race.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <stdexcept>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/async/yield.h"

namespace steward {
namespace {

namespace asio = boost::asio;

struct Gone {
  explicit Gone(int& c) : count(c) {}
  ~Gone() { ++count; }
  int& count;
};

VoidTask Forever(int& gone) {
  const Gone guard(gone);
  asio::steady_timer timer(co_await asio::this_coro::executor,
                           asio::steady_timer::time_point::max());
  co_await timer.async_wait(asio::use_awaitable);
}

VoidTask Briefly(int& ended) {
  co_await Yield();
  ++ended;
}

VoidTask Throwing() {
  co_await Yield();
  throw std::runtime_error("a bug");
}

TEST(RaceTest, TheOtherIsCancelled) {
  for (const bool first : {true, false}) {
    asio::io_context io;
    int gone = 0, ended = 0;
    VoidTask brief = Briefly(ended);
    VoidTask forever = Forever(gone);
    RunOn(io, first ? UntilOneEnds(std::move(brief), std::move(forever))
                    : UntilOneEnds(std::move(forever), std::move(brief)));
    EXPECT_EQ(gone, 1);
    EXPECT_EQ(ended, 1);
  }
}

TEST(RaceTest, ExceptionsPassThrough) {
  asio::io_context io;
  int gone = 0;
  EXPECT_THROW(RunOn(io, UntilOneEnds(Throwing(), Forever(gone))), std::runtime_error);
  EXPECT_EQ(gone, 1);
}

TEST(RaceTest, BothAreCancelled) {
  asio::io_context io;
  TaskGroup tasks(io.get_executor());
  int gone = 0;
  tasks.Spawn("race", UntilOneEnds(Forever(gone), Forever(gone)));
  io.poll();
  io.restart();
  RunOn(io, tasks.Stop());
  EXPECT_EQ(gone, 2);
}

}  // namespace
}  // namespace steward
