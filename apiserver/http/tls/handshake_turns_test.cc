#include "apiserver/http/tls/handshake_turns.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <string>

#include "base/async/run.h"
#include "base/async/task_group.h"
#include "base/async/yield.h"

namespace steward::http {
namespace {

boost::asio::ip::address Source(unsigned n) { return boost::asio::ip::address_v4(n); }

class HandshakeTurnsTest : public ::testing::Test {
 protected:
  HandshakeTurnsTest() { tasks_.Spawn("turns", turns_.Run()); }
  ~HandshakeTurnsTest() override { RunOn(io_, tasks_.Stop()); }

  // Takes a turn and records it.
  static VoidTask Step(HandshakeTurns::Turn& turn, std::string& steps, char name) {
    co_await turn.Wait();
    steps += name;
  }
  void Spawn(HandshakeTurns::Turn& turn, char name) {
    tasks_.Spawn("step", Step(turn, steps_, name));
  }
  // Other work that is always ready.
  static VoidTask Work(std::string& steps, int times) {
    for (int i = 0; i < times; ++i) {
      steps += '.';
      co_await Yield();
    }
  }

  boost::asio::io_context io_;
  HandshakeTurns turns_{io_.get_executor()};
  HandshakeTurns::Turn a_{turns_, Source(1)};
  HandshakeTurns::Turn b_{turns_, Source(1)};
  HandshakeTurns::Turn c_{turns_, Source(1)};
  HandshakeTurns::Turn x_{turns_, Source(2)};
  std::string steps_;
  TaskGroup tasks_{io_.get_executor()};
};

TEST_F(HandshakeTurnsTest, OtherWorkGoesOnBetweenTwoSteps) {
  Spawn(a_, 'a');
  Spawn(b_, 'b');
  Spawn(c_, 'c');
  tasks_.Spawn("work", Work(steps_, 20));
  io_.poll();
  const size_t a = steps_.find('a');
  const size_t b = steps_.find('b');
  const size_t c = steps_.find('c');
  EXPECT_LT(a + 1, b) << steps_;
  EXPECT_LT(b + 1, c) << steps_;
  EXPECT_EQ(steps_.size(), 23u);
}

TEST_F(HandshakeTurnsTest, SourcesTakeTurns) {
  Spawn(a_, 'a');
  Spawn(b_, 'b');
  Spawn(c_, 'c');
  Spawn(x_, 'x');
  io_.poll();
  EXPECT_EQ(steps_, "axbc");
  Spawn(b_, 'b');
  Spawn(x_, 'x');
  io_.restart();
  io_.poll();
  EXPECT_EQ(steps_, "axbcxb") << "the other source's turn";
}

TEST_F(HandshakeTurnsTest, WhoLeavesHasNoTurn) {
  Spawn(a_, 'a');
  Spawn(b_, 'b');
  Spawn(c_, 'c');
  Spawn(x_, 'x');
  while (!b_.is_linked() || !x_.is_linked()) io_.run_one();
  x_.Cancel();
  b_.Cancel();
  io_.poll();
  EXPECT_EQ(steps_.size(), 4u) << "it does not wait, either";
  EXPECT_EQ(steps_.back(), 'c') << steps_;
}

}  // namespace
}  // namespace steward::http
