#include "storage/world/rewind.h"

#include <algorithm>
#include <utility>

#include "base/async/turn.h"
#include "base/async/yield.h"
#include "storage/world/history.h"

namespace steward::storage {
namespace {

const History::Log& LogOf(const World& world, size_t source) {
  return world.sources()[source].history.log();
}

// Undoes the changes after a state, one by one.
class Undoing {
 public:
  Undoing(const WorldPtr& world, const StateVector& vector) : past_(world->Copy()) {
    for (size_t i = world->sources().size(); i-- > 0;) {
      for (auto it = LogOf(*world, i).LowerBound({vector[i] + 1, 0}); !it.done(); it.Next()) {
        left_.push_back({static_cast<Source>(i), &it.value()});
      }
    }
  }
  bool done() const { return left_.empty(); }
  // Undoes one change and returns its cost. REQUIRES: !done().
  size_t Step() {
    const auto [source, change] = left_.back();
    left_.pop_back();
    if (change->before == nullptr) {
      past_->Drop(source, change->key);
    } else {
      past_->Put(source, change->before);
    }
    return past_->set().kind(source).undo_steps;
  }
  const std::shared_ptr<World>& past() const { return past_; }

 private:
  const std::shared_ptr<World> past_;
  std::vector<std::pair<Source, const LoggedChange*>> left_;  // the back is undone next
};

size_t CostOf(const World& world, const StateVector& vector) {
  size_t steps = 0;
  for (size_t i = 0; i < world.sources().size(); ++i) {
    const size_t changes = LogOf(world, i).CountFrom({vector[i] + 1, 0});
    steps += changes * world.set().kinds[i].undo_steps;
  }
  return steps;
}

}  // namespace

boost::asio::awaitable<WorldPtr> Rewind(WorldPtr world, StateVector vector) {
  // `undoing` points into the logs of `world`, which this frame keeps alive.
  Undoing undoing(world, vector);
  if (undoing.done()) co_return world;
  Turn turn;
  while (!undoing.done()) {
    if (turn.Over(undoing.Step())) co_await Yield();
  }
  co_return WorldPtr(undoing.past());
}

// Ends a flight in every case, also when an exception ends the owner.
class RewindCache::FlightOwner {
 public:
  FlightOwner(RewindCache& cache, std::shared_ptr<Flight> flight)
      : cache_(cache), flight_(std::move(flight)) {}
  ~FlightOwner() {
    {
      MutexLock hold(&cache_.mutex_);
      if (flight_->past != nullptr) {
        cache_.Remember(flight_->world, flight_->undone, flight_->past);
      }
      auto& flights = cache_.flights_;
      flights.erase(std::find(flights.begin(), flights.end(), flight_));
    }
    flight_->landed.Set();
  }
  FlightOwner(const FlightOwner&) = delete;
  FlightOwner& operator=(const FlightOwner&) = delete;

 private:
  RewindCache& cache_;
  const std::shared_ptr<Flight> flight_;
};

RewindCache::Undone RewindCache::UndoneAt(const World& world, const StateVector& vector) {
  Undone undone;
  undone.fill(UINT64_MAX);
  for (size_t i = 0; i < world.sources().size(); ++i) {
    const auto first = LogOf(world, i).LowerBound({vector[i] + 1, 0});
    if (!first.done()) undone[i] = first.key().first;
  }
  return undone;
}

void RewindCache::Remember(const WorldPtr& world, const Undone& undone, const WorldPtr& past) {
  entries_[next_] = {world, undone, past};
  next_ = (next_ + 1) % kEntries;
}

WorldPtr RewindCache::AtOnce(const WorldPtr& world, const StateVector& vector) {
  const Undone undone = UndoneAt(*world, vector);
  if (std::all_of(undone.begin(), undone.end(), [](uint64_t r) { return r == UINT64_MAX; })) {
    return world;
  }
  {
    MutexLock hold(&mutex_);
    for (const Entry& entry : entries_) {
      if (entry.world == world && entry.undone == undone) return entry.past;
    }
  }
  if (CostOf(*world, vector) > Turn::kSteps) return nullptr;
  Undoing undoing(world, vector);
  while (!undoing.done()) undoing.Step();
  MutexLock hold(&mutex_);
  Remember(world, undone, undoing.past());
  return undoing.past();
}

boost::asio::awaitable<WorldPtr> RewindCache::At(WorldPtr world, StateVector vector) {
  const Undone undone = UndoneAt(*world, vector);
  while (true) {
    if (WorldPtr past = AtOnce(world, vector)) co_return past;
    std::shared_ptr<Flight> flight;
    bool leads = false;
    {
      MutexLock hold(&mutex_);
      for (const std::shared_ptr<Flight>& other : flights_) {
        if (other->world == world && other->undone == undone) flight = other;
      }
      leads = flight == nullptr;
      if (leads) {
        flight = std::make_shared<Flight>();
        flight->world = world;
        flight->undone = undone;
        flights_.push_back(flight);
      }
    }
    if (leads) {
      const FlightOwner owner(*this, flight);
      flight->past = co_await Rewind(world, vector);
      co_return flight->past;
    }
    co_await flight->landed.Wait();
    if (flight->past != nullptr) co_return flight->past;
  }
}

}  // namespace steward::storage
