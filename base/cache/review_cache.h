// A cache of answers to questions that many requests ask at the same time: each is asked once for
// all of them, and kept for a short time. Thread-safe.
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

// Callers may run on any executors. Errors are handed to every caller that waits for them, and are
// never kept. Holds at most `capacity` answers, and at most `share` of one owner; a new one
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

  // The kept answer, if there is one, without the cost of a task, for frequent questions.
  std::optional<Value> Kept(const std::string& key) {
    MutexLock lock(&mutex_);
    return cache_.Get(key, clock_.Now());
  }

  // The kept answer, or that of `load`. `load` runs as part of the first caller that needs it; when
  // that caller is cancelled, one of the others starts over. Everything that `load` refers to must
  // outlive the returned task. `owner` is answerable for the answer that is kept.
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
    StopSignal landed;  // set when the leader is done
    // Written before `landed` is set; absent when the leader was cancelled.
    std::optional<absl::StatusOr<Value>> result;
  };

  // Ends the flight in every case, an unwinding leader included.
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
