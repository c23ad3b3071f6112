// A cache of answers to questions that many requests ask at the same time: one call answers them
// all, and the answer is kept for a short time. Thread-safe.
#ifndef BASE_CACHE_REVIEW_CACHE_H_
#define BASE_CACHE_REVIEW_CACHE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "base/cache/expiring_cache.h"
#include "base/clock/clock.h"
#include "base/sync/mutex.h"

namespace steward {

// Callers may run on any executors. An error goes to every caller that waits for the answer, and is
// never kept. Holds at most `capacity` answers, and at most `share` of one owner; a new answer
// replaces the least recently used one. When the wall clock is set back, all answers are dropped.
template <typename Value>
class ReviewCache {
 public:
  struct Loaded {
    Value value;
    absl::Duration ttl;  // zero = not to be kept
  };
  using Loader = std::function<Task<Loaded>()>;

  ReviewCache(Clock& clock, size_t capacity, size_t share = SIZE_MAX)
      : clock_(clock), cache_(capacity, share) {}
  ReviewCache(const ReviewCache&) = delete;
  ReviewCache& operator=(const ReviewCache&) = delete;

  // The kept answer, if there is one. Cheaper than Get, since it makes no task: for frequent
  // questions.
  std::optional<Value> Kept(const std::string& key) {
    MutexLock lock(&mutex_);
    return cache_.Get(key, clock_.Now());
  }

  // The kept answer, or that of `load`. `load` runs within the call of the first caller that needs
  // it; if that caller is cancelled, one of the waiting callers runs its own `load`. Everything
  // that `load` refers to must outlive the returned task. The kept answer counts toward the share
  // of `owner`.
  Task<Value> Get(std::string key, Loader load, std::string owner = "") {
    for (;;) {
      bool leads = false;
      std::shared_ptr<Flight> flight;
      {
        MutexLock lock(&mutex_);
        std::optional<Value> kept = cache_.Get(key, clock_.Now());
        if (kept.has_value()) co_return *std::move(kept);
        std::shared_ptr<Flight>& slot = flights_[key];
        leads = slot == nullptr;
        if (leads) slot = std::make_shared<Flight>();
        flight = slot;
      }
      if (leads) {
        Leader leader(*this, key, owner, flight);
        absl::StatusOr<Loaded> loaded = co_await load();
        co_return leader.Finish(std::move(loaded));
      }
      co_await flight->landed.Wait();
      if (flight->result.has_value()) co_return *flight->result;
    }
  }

 private:
  struct Flight {
    StopSignal landed;  // set when the flight's first caller is done
    // Written before `landed` is set. Absent if the first caller was cancelled.
    std::optional<absl::StatusOr<Value>> result;
  };

  // The first caller of a flight. Ends the flight in every case, also while an exception unwinds
  // it.
  class Leader {
   public:
    Leader(ReviewCache& cache, const std::string& key, const std::string& owner,
           std::shared_ptr<Flight> flight)
        : cache_(cache), key_(key), owner_(owner), flight_(std::move(flight)) {}
    ~Leader() {
      {
        MutexLock lock(&cache_.mutex_);
        cache_.flights_.erase(key_);
      }
      flight_->landed.Set();
    }

    absl::StatusOr<Value> Finish(absl::StatusOr<Loaded> loaded) {
      if (!loaded.ok()) {
        flight_->result.emplace(loaded.status());
        return std::move(loaded).status();
      }
      if (loaded->ttl > absl::ZeroDuration()) {
        MutexLock lock(&cache_.mutex_);
        cache_.cache_.Put(key_, loaded->value, cache_.clock_.Now(), loaded->ttl, owner_);
      }
      flight_->result.emplace(loaded->value);
      return std::move(loaded->value);
    }

   private:
    ReviewCache& cache_;
    const std::string& key_;
    const std::string& owner_;
    const std::shared_ptr<Flight> flight_;
  };

  Clock& clock_;
  Mutex mutex_;
  ExpiringCache<Value> cache_ ABSL_GUARDED_BY(mutex_);
  // At most one for each request under way.
  absl::flat_hash_map<std::string, std::shared_ptr<Flight>> flights_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward

#endif  // BASE_CACHE_REVIEW_CACHE_H_
