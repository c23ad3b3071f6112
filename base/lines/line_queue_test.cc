#include "base/lines/line_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "base/sync/mutex.h"

namespace steward {
namespace {

// Shared by a test and the sink that the queue owns.
struct Place {
  std::string Text() {
    MutexLock lock(&mutex);
    return text;
  }
  Mutex mutex;
  std::string text ABSL_GUARDED_BY(mutex);
  absl::Status answer ABSL_GUARDED_BY(mutex);
  int writes ABSL_GUARDED_BY(mutex) = 0;
  std::counting_semaphore<> begun{0};
  std::counting_semaphore<> may_write{0};
  bool slow = false;
};

class FakeSink : public LineSink {
 public:
  explicit FakeSink(std::shared_ptr<Place> place) : place_(std::move(place)) {}
  absl::Status Write(std::string_view lines) override {
    if (place_->slow) {
      place_->begun.release();
      place_->may_write.acquire();
    }
    MutexLock lock(&place_->mutex);
    ++place_->writes;
    if (place_->answer.ok()) place_->text += lines;
    return place_->answer;
  }

 private:
  const std::shared_ptr<Place> place_;
};

class LineQueueTest : public ::testing::Test {
 protected:
  std::unique_ptr<LineQueue> Queue(size_t max_bytes = 1 << 20) {
    return std::make_unique<LineQueue>(
        std::make_unique<FakeSink>(place_), max_bytes,
        LineLosses{
            .dropped = [this] { ++dropped_; },
            .unwritten = [this](size_t lines, const absl::Status&) { unwritten_ += lines; }});
  }

  const std::shared_ptr<Place> place_ = std::make_shared<Place>();
  std::atomic<size_t> dropped_{0};
  std::atomic<size_t> unwritten_{0};
};

TEST_F(LineQueueTest, WritesInOrderAndEverythingAtTheEnd) {
  auto queue = Queue();
  std::string want;
  for (int i = 0; i < 1000; ++i) {
    queue->Offer(std::to_string(i) + "\n");
    want += std::to_string(i) + "\n";
  }
  queue.reset();
  EXPECT_EQ(place_->Text(), want);
  EXPECT_EQ(dropped_, 0u);
}

TEST_F(LineQueueTest, DropsBeyondItsBoundAndNeverWaits) {
  place_->slow = true;
  const std::string line(99, 'x');
  auto queue = Queue(10 * (100 + sizeof(std::string)));
  queue->Offer(line + "\n");
  place_->begun.acquire();  // the first line is being written, and still counts
  for (int i = 0; i < 20; ++i) queue->Offer(line + "\n");
  EXPECT_EQ(dropped_, 11u);
  place_->may_write.release(2);
  place_->begun.acquire();
  queue.reset();
  EXPECT_EQ(place_->Text().size(), 1000u);
}

TEST_F(LineQueueTest, RoomComesBack) {
  place_->slow = true;
  auto queue = Queue(100);
  queue->Offer(std::string(50, 'a') + "\n");
  place_->begun.acquire();
  queue->Offer(std::string(50, 'b') + "\n");
  EXPECT_EQ(dropped_, 1u);
  place_->may_write.release(1);
  queue.reset();
  place_->may_write.release(1);
  queue = Queue(100);
  queue->Offer("c\n");
  queue.reset();
  EXPECT_EQ(place_->Text(), std::string(50, 'a') + "\nc\n");
}

TEST_F(LineQueueTest, CountsWhatTheSinkRefusesAndGoesOn) {
  {
    MutexLock lock(&place_->mutex);
    place_->answer = absl::ResourceExhaustedError("the disk is full");
  }
  place_->slow = true;
  auto queue = Queue();
  queue->Offer("lost\n");
  place_->begun.acquire();
  place_->may_write.release();
  while (unwritten_ == 0) std::this_thread::yield();
  {
    MutexLock lock(&place_->mutex);
    place_->answer = absl::OkStatus();
  }
  queue->Offer("kept\n");
  place_->may_write.release();
  queue.reset();
  EXPECT_EQ(place_->Text(), "kept\n");
  EXPECT_EQ(unwritten_, 1u);
}

TEST_F(LineQueueTest, AtTheEndTheFirstErrorIsTheLast) {
  place_->slow = true;
  auto queue = Queue();
  for (int i = 0; i < 5; ++i) queue->Offer(std::string(60'000, 'x') + "\n");
  {
    MutexLock lock(&place_->mutex);
    place_->answer = absl::DeadlineExceededError("nobody reads");
  }
  std::thread ending([&queue] { queue.reset(); });
  place_->may_write.release(5);
  ending.join();
  EXPECT_EQ(unwritten_, 5u);
}

TEST_F(LineQueueTest, ManyThreads) {
  auto queue = Queue();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&queue] {
      for (int i = 0; i < 500; ++i) queue->Offer("0123456789\n");
    });
  }
  for (std::thread& thread : threads) thread.join();
  queue.reset();
  EXPECT_EQ(place_->Text().size(), 4u * 500 * 11);
}

}  // namespace
}  // namespace steward
