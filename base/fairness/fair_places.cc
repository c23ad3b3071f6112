#include "base/fairness/fair_places.h"

#include <utility>

#include "base/async/stop_signal.h"
#include "base/clock/time_limit.h"

namespace steward {

// A waiting task. The thread that removes it from waiters_ writes `admitted` before it sets `told`.
struct FairPlaces::Waiter {
  StopSignal told;
  bool admitted = false;
};

// A task's stay in the queue. The destructor leaves the queue, and gives back a place that the task
// received meanwhile.
class FairPlaces::Queued {
 public:
  Queued(FairPlaces& places, FairPool::Ticket ticket, std::shared_ptr<Waiter> waiter)
      : places_(places),
        ticket_(ticket),
        waiter_(std::move(waiter)),
        since_(places.clock_.Monotonic()) {
    places_.metrics_.AddWaiting(1);
  }
  ~Queued() {
    if (!settled_ && LeftQueue() && waiter_->admitted) places_.Leave(ticket_);
    places_.metrics_.AddWaiting(-1);
  }
  Queued(const Queued&) = delete;
  Queued& operator=(const Queued&) = delete;

  VoidTask Wait(absl::Duration limit) {
    co_await RunWithin(places_.clock_, limit, waiter_->told.Wait());
  }
  // Ends the wait. Returns the place, or an empty Place.
  Place Settle() {
    settled_ = true;
    const bool told = LeftQueue();
    const bool admitted = told && waiter_->admitted;
    places_.metrics_.ObserveWait(places_.clock_.Monotonic() - since_, admitted);
    if (admitted) return places_.Admitted(ticket_);
    places_.metrics_.Refuse(told ? PoolRefusal::kQueueFull : PoolRefusal::kTimeOut);
    return Place();
  }

 private:
  // True if the wait was decided already; else leaves the queue.
  bool LeftQueue() {
    MutexLock lock(&places_.mutex_);
    if (places_.waiters_.erase(ticket_) == 0) return true;
    places_.pool_.Leave(ticket_);
    return false;
  }

  FairPlaces& places_;
  const FairPool::Ticket ticket_;
  const std::shared_ptr<Waiter> waiter_;
  const absl::Duration since_;
  bool settled_ = false;
};

FairPlaces::Place& FairPlaces::Place::operator=(Place&& other) noexcept {
  if (this == &other) return *this;
  Release();
  pool_ = std::exchange(other.pool_, nullptr);
  ticket_ = other.ticket_;
  return *this;
}

void FairPlaces::Place::Release() {
  FairPlaces* pool = std::exchange(pool_, nullptr);
  if (pool == nullptr) return;
  pool->metrics_.AddHeld(-1);
  if (!pool->unlimited_) pool->Leave(ticket_);
}

FairPlaces::FairPlaces(Clock& clock, FairPool::Limits limits, PoolMetrics::Pool metrics)
    : clock_(clock), unlimited_(limits.places == 0), metrics_(std::move(metrics)), pool_(limits) {}

FairPlaces::Place FairPlaces::Admitted(FairPool::Ticket ticket) {
  metrics_.AddHeld(1);
  return Place(this, ticket);
}

std::shared_ptr<FairPlaces::Waiter> FairPlaces::TakeWaiter(FairPool::Ticket ticket) {
  const auto found = waiters_.find(ticket);
  std::shared_ptr<Waiter> waiter = std::move(found->second);
  waiters_.erase(found);
  return waiter;
}

void FairPlaces::Leave(FairPool::Ticket ticket) {
  std::shared_ptr<Waiter> next;
  {
    MutexLock lock(&mutex_);
    const std::optional<FairPool::Ticket> admitted = pool_.Leave(ticket);
    if (!admitted) return;
    next = TakeWaiter(*admitted);
    next->admitted = true;
  }
  next->told.Set();
}

boost::asio::awaitable<FairPlaces::Place> FairPlaces::Take(std::string flow,
                                                           absl::Duration max_wait) {
  if (unlimited_) co_return Admitted(0);
  FairPool::Entry entry;
  std::shared_ptr<Waiter> waiter, displaced;
  {
    MutexLock lock(&mutex_);
    entry = pool_.Enter(flow);
    if (entry.displaced) displaced = TakeWaiter(*entry.displaced);
    if (entry.answer == FairPool::Answer::kWaits) {
      waiter = std::make_shared<Waiter>();
      waiters_.emplace(entry.ticket, waiter);
    }
  }
  if (displaced != nullptr) displaced->told.Set();
  switch (entry.answer) {
    case FairPool::Answer::kAdmitted:
      co_return Admitted(entry.ticket);
    case FairPool::Answer::kRefused:
      metrics_.Refuse(PoolRefusal::kQueueFull);
      co_return Place();
    case FairPool::Answer::kWaits:
      break;
  }
  Queued queued(*this, entry.ticket, std::move(waiter));
  co_await queued.Wait(max_wait);
  co_return queued.Settle();
}

}  // namespace steward
