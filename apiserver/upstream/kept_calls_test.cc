#include "apiserver/upstream/kept_calls.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace steward::upstream {
namespace {

// Records the thread on which it is destroyed.
struct Call {
  explicit Call(std::thread::id& thread) : destroyed_on(thread) {}
  ~Call() { destroyed_on = std::this_thread::get_id(); }
  std::thread::id& destroyed_on;
};

TEST(KeptCallsTest, IsDestroyedByWhoReaps) {
  KeptCalls calls;
  std::thread::id destroyed_on;
  auto call = std::make_shared<Call>(destroyed_on);
  const void* key = call.get();
  calls.Keep(std::move(call));
  calls.Reap();
  EXPECT_EQ(destroyed_on, std::thread::id()) << "it has not ended";
  std::thread([&] { calls.Ended(key); }).join();
  EXPECT_EQ(destroyed_on, std::thread::id()) << "gRPC's thread must not";
  calls.Reap();
  EXPECT_EQ(destroyed_on, std::this_thread::get_id());
}

TEST(KeptCallsTest, IsDestroyedByTheNextCall) {
  KeptCalls calls;
  std::thread::id first;
  std::thread::id second;
  auto call = std::make_shared<Call>(first);
  const void* key = call.get();
  calls.Keep(std::move(call));
  std::thread([&] { calls.Ended(key); }).join();
  auto next = std::make_shared<Call>(second);
  const void* next_key = next.get();
  calls.Keep(std::move(next));
  EXPECT_EQ(first, std::this_thread::get_id());
  calls.Ended(next_key);
  calls.Close();
}

TEST(KeptCallsTest, CloseWaitsForGrpc) {
  KeptCalls calls;
  std::thread::id destroyed_on;
  auto call = std::make_shared<Call>(destroyed_on);
  const void* key = call.get();
  calls.Keep(std::move(call));
  std::thread grpc([&] { calls.Ended(key); });
  calls.Close();
  EXPECT_EQ(destroyed_on, std::this_thread::get_id());
  grpc.join();
}

TEST(KeptCallsTest, CloseOfNone) {
  KeptCalls calls;
  calls.Close();
}

}  // namespace
}  // namespace steward::upstream
