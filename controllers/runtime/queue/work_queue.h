// The queue of keys that wait for a reconciler. Lives on one executor.
//
// The rules are those of client-go's workqueue, so that level-based reconcilers can be written as
// they are everywhere:
//  - a key is in the queue once, however often it was added;
//  - a key is never worked on twice at a time: if it is added meanwhile, it returns when it is
//    done;
//  - of several delayed adds of a key the earliest counts; a delay does not hold back a plain add;
//  - keys are taken in the order in which they became ready.
#ifndef CONTROLLERS_RUNTIME_QUEUE_WORK_QUEUE_H_
#define CONTROLLERS_RUNTIME_QUEUE_WORK_QUEUE_H_

#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "absl/time/time.h"
#include "base/async/broadcast.h"
#include "base/async/task.h"
#include "base/clock/clock.h"
#include "controllers/runtime/queue/queue_metrics.h"
#include "controllers/runtime/queue/rate_limiter.h"

namespace steward::controllers {

// Memory is bounded by the number of distinct keys known at a time: a key is forgotten when it is
// not waiting, being worked on or delayed, and has no failures counted against it. Keys are never
// dropped otherwise. Every member is called on the executor.
class WorkQueue {
 public:
  // REQUIRES: `clock` and `metrics` outlive this object.
  WorkQueue(RateLimits limits, Clock& clock, QueueMetrics& metrics);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // After ShutDown, adds do nothing.
  void Add(const Key& key);
  void AddAfter(const Key& key, absl::Duration delay);
  // Adds a key after a failure, when the rate limits allow, and not before `at_least`.
  void AddRateLimited(const Key& key, absl::Duration at_least = absl::ZeroDuration());
  // Resets the key's count of failures.
  void Forget(const Key& key) { limiter_.Forget(key); }
  int failures(const Key& key) const { return limiter_.failures(key); }

  // Waits for the next key (for which `suits` is true, if set) and takes it; the caller gives it
  // back by Done. Nullopt once the queue is shut down. `suits` is called again for waiting keys
  // whenever a key is added. Cancellable.
  using Suits = std::function<bool(const Key& key)>;
  boost::asio::awaitable<std::optional<Key>> Take(Suits suits = nullptr);
  void Done(const Key& key);

  // Makes delayed keys ready in time. Runs until cancelled.
  VoidTask RunDelays();
  // Updates the metrics of the keys that are being worked on.
  void MeasureUnfinished();

  // Ends all Takes; waiting keys are not given out any more.
  void ShutDown();

  // The numbers of keys that are ready and not taken (depth), being worked on (running), and
  // delayed.
  size_t depth() const { return ready_.size(); }
  size_t running() const { return running_; }
  size_t delayed() const { return delays_.size(); }

 private:
  struct Entry {
    bool wanted = false;   // must be given out (again)
    bool running = false;  // given out
    absl::Duration wanted_since;
    absl::Duration running_since;
    std::optional<absl::Duration> due;  // when its delay ends; nullopt: it is not delayed
  };
  using Entries = std::map<Key, Entry>;

  void Want(const Key& key, Entry& entry);
  void PushReady(const Key& key);
  void Undelay(const Key& key, Entry& entry);
  void EraseIfIdle(Entries::iterator it);

  Clock& clock_;
  QueueMetrics& metrics_;
  RateLimiter limiter_;
  Entries entries_;
  std::deque<Key> ready_;
  std::set<std::pair<absl::Duration, Key>> delays_;  // by monotonic time
  size_t running_ = 0;
  bool shut_down_ = false;
  Broadcast ready_changed_;
  Broadcast delays_changed_;
};

}  // namespace steward::controllers

#endif  // CONTROLLERS_RUNTIME_QUEUE_WORK_QUEUE_H_
