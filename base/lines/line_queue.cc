#include "base/lines/line_queue.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace steward {
namespace {

// The limit of the bytes in one write.
constexpr size_t kBatchBytes = 64 << 10;

}  // namespace

LineQueue::LineQueue(std::unique_ptr<LineSink> sink, size_t max_bytes, LineLosses losses)
    : sink_(std::move(sink)), max_bytes_(max_bytes), losses_(std::move(losses)) {}

LineQueue::~LineQueue() {
  ending_.store(true);
  thread_.Stop();
  Drain();
}

void LineQueue::Offer(std::string line) {
  bool taken = false;
  bool wake = false;
  {
    MutexLock lock(&mutex_);
    const size_t cost = Cost(line);
    if (cost <= max_bytes_ - bytes_) {
      taken = true;
      bytes_ += cost;
      held_.push_back(std::move(line));
      wake = !std::exchange(draining_, true);
    }
  }
  if (!taken) losses_.dropped();
  if (wake) boost::asio::post(thread_.executor(), [this] { Drain(); });
}

LineQueue::Lines LineQueue::Take() {
  MutexLock lock(&mutex_);
  if (held_.empty()) draining_ = false;
  return std::exchange(held_, {});
}

void LineQueue::Release(size_t bytes) {
  MutexLock lock(&mutex_);
  bytes_ -= bytes;
}

void LineQueue::Drain() {
  absl::Status status;
  for (Lines lines = Take(); !lines.empty(); lines = Take()) {
    if (status.ok() || !ending_.load()) {
      status = WriteAll(lines);
    } else {
      losses_.unwritten(lines.size(), status);
    }
    size_t bytes = 0;
    for (const std::string& line : lines) bytes += Cost(line);
    Release(bytes);
  }
}

absl::Status LineQueue::WriteAll(const Lines& lines) {
  absl::Status last;
  for (auto next = lines.begin(); next != lines.end();) {
    std::string batch = *next;
    size_t count = 1;
    for (++next; next != lines.end() && batch.size() + next->size() <= kBatchBytes; ++next) {
      batch += *next;
      ++count;
    }
    if (last.ok() || !ending_.load()) last = sink_->Write(batch);
    if (!last.ok()) losses_.unwritten(count, last);
  }
  return last;
}

}  // namespace steward
