#include "apiserver/http/connection/connection.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>
#include <stdexcept>

#include "apiserver/http/connection/event.h"
#include "base/async/run.h"
#include "base/async/task_group.h"

namespace steward::http {
namespace {

VoidTask Wait(Event& never) {
  for (;;) co_await never.Wait();
}

VoidTask ThrowWhenCancelled(Event& never) {
  try {
    co_await Wait(never);
  } catch (const boost::system::system_error&) {
  }
  throw std::runtime_error("thrown by a cancelled task");
}

TEST(ContainTest, AnExceptionOfACancelledTaskEndsTheConnectionOnly) {
  boost::asio::io_context io;
  TaskGroup tasks(io.get_executor());
  Event never(io.get_executor());
  int ended = 0;
  tasks.Spawn("throws", Contain(ThrowWhenCancelled(never), [&ended] { ++ended; }));
  tasks.Spawn("says nothing", Contain(ThrowWhenCancelled(never), nullptr));
  io.poll();
  RunOn(io, tasks.Stop());
  EXPECT_EQ(ended, 1);
}

TEST(ContainTest, CancellationPassesThrough) {
  boost::asio::io_context io;
  TaskGroup tasks(io.get_executor());
  Event never(io.get_executor());
  int ended = 0;
  tasks.Spawn("waits", Contain(Wait(never), [&ended] { ++ended; }));
  io.poll();
  RunOn(io, tasks.Stop());
  EXPECT_EQ(ended, 0);
}

}  // namespace
}  // namespace steward::http
