// A queue of lines before a slow sink, for threads that must not wait. Thread-safe.
#ifndef BASE_LINES_LINE_QUEUE_H_
#define BASE_LINES_LINE_QUEUE_H_

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "base/async/own_thread.h"
#include "base/lines/line_sink.h"
#include "base/sync/mutex.h"

namespace steward {

// Callbacks that report lost lines. Called from any thread, without a lock.
struct LineLosses {
  // one line was lost, because there was no room
  std::function<void()> dropped;
  // the sink returned this error
  std::function<void(size_t lines, const absl::Status& error)> unwritten;
};

// Holds lines until a thread of its own has written them, in order. Beyond `max_bytes` a line is
// dropped.
class LineQueue {
 public:
  LineQueue(std::unique_ptr<LineSink> sink, size_t max_bytes, LineLosses losses);
  // Writes the held lines, up to the first error. REQUIRES: no thread offers any more.
  ~LineQueue();
  LineQueue(const LineQueue&) = delete;
  LineQueue& operator=(const LineQueue&) = delete;

  // Takes a line, which ends with its newline, or drops it. Returns at once.
  void Offer(std::string line);

 private:
  using Lines = std::deque<std::string>;

  static size_t Cost(const std::string& line) { return line.size() + sizeof(std::string); }
  // Takes the held lines, whose bytes count until Release. After it returned none, the next Offer
  // calls Drain again.
  Lines Take();
  void Release(size_t bytes);
  void Drain();
  absl::Status WriteAll(const Lines& lines);

  const std::unique_ptr<LineSink> sink_;
  const size_t max_bytes_;
  const LineLosses losses_;
  std::atomic<bool> ending_{false};
  Mutex mutex_;
  Lines held_ ABSL_GUARDED_BY(mutex_);
  size_t bytes_ ABSL_GUARDED_BY(mutex_) = 0;  // includes lines that are being written
  bool draining_ ABSL_GUARDED_BY(mutex_) = false;
  OwnThread thread_;
};

}  // namespace steward

#endif  // BASE_LINES_LINE_QUEUE_H_
