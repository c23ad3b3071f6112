// A FairPool in front of which tasks wait. Thread-safe.
#ifndef BASE_FAIRNESS_FAIR_PLACES_H_
#define BASE_FAIRNESS_FAIR_PLACES_H_

#include <boost/asio/awaitable.hpp>
#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/time/time.h"
#include "base/clock/clock.h"
#include "base/fairness/fair_pool.h"
#include "base/fairness/pool_metrics.h"
#include "base/sync/mutex.h"

namespace steward {

// Tasks may wait on any executors. REQUIRES: outlives its places.
class FairPlaces {
 public:
  // A place, given back on destruction. Movable.
  class Place {
   public:
    Place() = default;  // no place
    Place(Place&& other) noexcept { *this = std::move(other); }
    Place& operator=(Place&& other) noexcept;
    ~Place() { Release(); }

    explicit operator bool() const { return pool_ != nullptr; }
    void Release();

   private:
    friend class FairPlaces;
    Place(FairPlaces* pool, FairPool::Ticket ticket) : pool_(pool), ticket_(ticket) {}
    FairPlaces* pool_ = nullptr;
    FairPool::Ticket ticket_ = 0;
  };

  // limits.places of 0 means no limit. `clock` outlives this object.
  FairPlaces(Clock& clock, FairPool::Limits limits, PoolMetrics::Pool metrics);

  // Returns a place for the flow: at once if one is free, else when its turn comes. Returns an
  // empty Place when the queues are full, or `max_wait` has passed. A cancelled call stops waiting.
  boost::asio::awaitable<Place> Take(std::string flow, absl::Duration max_wait);

 private:
  struct Waiter;
  class Queued;

  // Removes the waiter from waiters_ and returns it, for the caller to notify.
  std::shared_ptr<Waiter> TakeWaiter(FairPool::Ticket ticket) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  Place Admitted(FairPool::Ticket ticket);
  void Leave(FairPool::Ticket ticket);

  Clock& clock_;
  const bool unlimited_;
  PoolMetrics::Pool metrics_;
  Mutex mutex_;
  FairPool pool_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<FairPool::Ticket, std::shared_ptr<Waiter>> waiters_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace steward

#endif  // BASE_FAIRNESS_FAIR_PLACES_H_
