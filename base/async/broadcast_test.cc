#include "base/async/broadcast.h"

#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
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
    // Nobody is left to be woken.
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
