#include "base/async/broadcast.h"

#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <list>
#include <optional>
#include <thread>
#include <vector>

#include "base/async/run.h"
#include "base/async/task_group.h"

namespace steward {
namespace {

namespace asio = boost::asio;
using std::chrono::steady_clock;

const auto kFar = steady_clock::time_point::max();

VoidTask Count(Broadcast& broadcast, Broadcast::Ticket ticket, std::atomic<int>& woken) {
  co_await broadcast.WaitSince(ticket, kFar);
  ++woken;
}

TEST(BroadcastTest, WakesEveryWaiterOnce) {
  asio::io_context io;
  Broadcast broadcast;
  TaskGroup group(io.get_executor());
  std::atomic<int> woken = 0;
  for (int i = 0; i < 3; ++i) group.Spawn("w", Count(broadcast, broadcast.Now(), woken));
  io.poll();
  EXPECT_EQ(woken, 0);
  broadcast.Notify();
  io.poll();
  EXPECT_EQ(woken, 3);
  EXPECT_EQ(group.size(), 0u);
}

TEST(BroadcastTest, RemembersWhatCameAfterTheTicket) {
  asio::io_context io;
  Broadcast broadcast;
  const Broadcast::Ticket ticket = broadcast.Now();
  broadcast.Notify();
  RunOn(io, broadcast.WaitSince(ticket, kFar));  // does not hang
}

TEST(BroadcastTest, EndsAtTheDeadline) {
  asio::io_context io;
  Broadcast broadcast;
  RunOn(io, broadcast.WaitSince(broadcast.Now(), steady_clock::now()));
}

VoidTask CountEither(Broadcast& a, Broadcast& b, std::atomic<int>& woken) {
  const Broadcast::Ticket since_a = a.Now(), since_b = b.Now();
  co_await Broadcast::WaitForEither(a, since_a, b, since_b, kFar);
  ++woken;
}

TEST(BroadcastTest, EitherOfTwo) {
  for (const int which : {0, 1, 2}) {
    asio::io_context io;
    Broadcast a, b;
    TaskGroup group(io.get_executor());
    std::atomic<int> woken = 0;
    for (int i = 0; i < 3; ++i) group.Spawn("w", CountEither(a, b, woken));
    io.poll();
    EXPECT_EQ(woken, 0);
    if (which != 1) a.Notify();
    if (which != 0) b.Notify();
    io.poll();
    EXPECT_EQ(woken, 3);
    EXPECT_EQ(group.size(), 0u);
    // No waiter is left to wake.
    a.Notify();
    b.Notify();
    io.restart();
    EXPECT_EQ(io.poll(), 0u);
  }
}

TEST(BroadcastTest, EitherMayHaveComeAfterTheTickets) {
  asio::io_context io;
  Broadcast a, b;
  const Broadcast::Ticket since_a = a.Now(), since_b = b.Now();
  b.Notify();
  RunOn(io, Broadcast::WaitForEither(a, since_a, b, since_b, kFar));  // does not hang
  RunOn(io, Broadcast::WaitForEither(b, since_b, a, since_a, kFar));
}

TEST(BroadcastTest, OutlivedByItsWaiters) {
  asio::io_context io;
  std::optional<Broadcast> broadcast(std::in_place);
  TaskGroup group(io.get_executor());
  std::atomic<int> woken = 0;
  group.Spawn("w", Count(*broadcast, broadcast->Now(), woken));
  io.poll();
  broadcast.reset();
  RunOn(io, group.Stop());
  EXPECT_EQ(woken, 0);
}

// Notify costs a post for each executor, not for each waiter; and waking many waiters does not
// delay other work.
TEST(BroadcastTest, ManyWaitersCostOnePostAndTakeTurns) {
  constexpr int kWaiters = 1'000;
  std::array<asio::io_context, 2> ios;
  Broadcast broadcast;
  std::atomic<int> woken = 0;
  std::list<TaskGroup> groups;
  for (asio::io_context& io : ios) {
    TaskGroup& group = groups.emplace_back(io.get_executor());
    for (int i = 0; i < kWaiters; ++i) group.Spawn("w", Count(broadcast, broadcast.Now(), woken));
    io.poll();
  }
  broadcast.Notify();
  for (asio::io_context& io : ios) {
    woken = 0;
    bool turn = false;
    asio::post(io, [&turn] { turn = true; });
    int handlers = 0;
    while (!turn) handlers += static_cast<int>(io.poll_one());
    EXPECT_EQ(handlers, 2) << "one that wakes, and the other work";
    turn = false;
    asio::post(io, [&turn] { turn = true; });
    while (!turn) EXPECT_EQ(io.poll_one(), 1u);
    EXPECT_GT(woken, 0);
    EXPECT_LE(woken, kWaiters / 2);
    io.poll();
    EXPECT_EQ(woken, kWaiters);
  }
}

VoidTask CountAgain(Broadcast& broadcast, int times, std::atomic<int>& woken) {
  for (int i = 0; i < times; ++i) {
    const Broadcast::Ticket ticket = broadcast.Now();
    co_await broadcast.WaitSince(ticket, kFar);
    ++woken;
  }
}

TEST(BroadcastTest, NobodyIsLostOrWokenTwiceBetweenTurns) {
  constexpr int kWaiters = 250;
  asio::io_context io;
  Broadcast broadcast;
  TaskGroup group(io.get_executor());
  std::atomic<int> woken = 0;
  for (int i = 0; i < kWaiters; ++i) group.Spawn("w", CountAgain(broadcast, 2, woken));
  io.poll();
  broadcast.Notify();
  // The first hundred wait again before the second Notify.
  for (int i = 0; i < 150; ++i) io.poll_one();
  EXPECT_GT(woken, 0);
  EXPECT_LT(woken, kWaiters);
  const int early = woken;
  broadcast.Notify();
  io.poll();
  EXPECT_EQ(woken, kWaiters + early) << "who had not run yet heard both at once";
  broadcast.Notify();
  io.poll();
  EXPECT_EQ(woken, 2 * kWaiters);
  EXPECT_EQ(group.size(), 0u);
}

TEST(BroadcastTest, AnExecutorMayEndBeforeItsWaitersAreWoken) {
  Broadcast broadcast;
  std::atomic<int> woken = 0;
  {
    asio::io_context io;
    TaskGroup group(io.get_executor());
    group.Spawn("w", Count(broadcast, broadcast.Now(), woken));
    io.poll();
    broadcast.Notify();
    RunOn(io, group.Stop());
  }
  broadcast.Notify();
  const int before = woken;
  asio::io_context io;
  TaskGroup group(io.get_executor());
  group.Spawn("w", Count(broadcast, broadcast.Now(), woken));
  io.poll();
  broadcast.Notify();
  io.poll();
  EXPECT_EQ(woken, before + 1);
}

TEST(BroadcastTest, NotifiesAcrossThreads) {
  constexpr int kThreads = 3;
  constexpr int kRounds = 200;
  Broadcast broadcast;
  std::atomic<int> woken = 0;
  std::atomic<bool> done = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&broadcast, &woken] {
      asio::io_context io;
      for (int round = 0; round < kRounds; ++round) {
        RunOn(io, Count(broadcast, broadcast.Now(), woken));
      }
    });
  }
  std::thread notifier([&broadcast, &done] {
    while (!done) {
      broadcast.Notify();
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  notifier.join();
  EXPECT_EQ(woken, kThreads * kRounds);
}

}  // namespace
}  // namespace steward
