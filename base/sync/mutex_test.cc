#include "base/sync/mutex.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace steward {
namespace {

struct Counter {
  Mutex mutex;
  int value ABSL_GUARDED_BY(mutex) = 0;
};

TEST(MutexTest, OneAtATime) {
  Counter counter;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&counter] {
      for (int n = 0; n < 10'000; ++n) {
        MutexLock lock(&counter.mutex);
        ++counter.value;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  MutexLock lock(&counter.mutex);
  EXPECT_EQ(counter.value, 40'000);
}

}  // namespace
}  // namespace steward
