#include "storage/world/rewind.h"

#include <algorithm>
#include <utility>

#include "base/async/turn.h"
#include "base/async/yield.h"
#include "storage/world/world_editor.h"

namespace steward::storage {
namespace {

// A ClusterServiceVersion is put back by itself; the others change what targets what.
constexpr size_t kStepsOfIndexed = 50;

size_t StepsOf(const LoggedChange& change) {
  return static_cast<Source>(change.before.index()) == Source::kCsv ? 1 : kStepsOfIndexed;
}

const History::Log& LogOf(const World& world, size_t source) {
  return world.source(static_cast<Source>(source)).history.log();
}

// Undoes, one by one, the changes after a state.
class Undoing {
 public:
  Undoing(const WorldPtr& world, const StateVector& vector)
      : past_(std::make_shared<World>(*world)), editor_(*past_) {
    for (size_t i = kSources; i-- > 0;) {
      for (auto it = LogOf(*world, i).LowerBound({vector[i] + 1, 0}); !it.done(); it.Next()) {
        left_.push_back(&it.value());
      }
    }
  }
  bool done() const { return left_.empty(); }
  // Returns what it cost. REQUIRES: !done().
  size_t Step() {
    const LoggedChange& change = *left_.back();
    left_.pop_back();
    editor_.Restore(change.key, change.before);
    return StepsOf(change);
  }
  const std::shared_ptr<World>& past() const { return past_; }

 private:
  const std::shared_ptr<World> past_;
  WorldEditor editor_;
  std::vector<const LoggedChange*> left_;  // the next one last
};

size_t CostOf(const World& world, const StateVector& vector) {
  size_t steps = 0;
  for (size_t i = 0; i < kSources; ++i) {
    const size_t changes = LogOf(world, i).CountFrom({vector[i] + 1, 0});
    steps += changes * (static_cast<Source>(i) == Source::kCsv ? 1 : kStepsOfIndexed);
  }
  return steps;
}

}  // namespace

boost::asio::awaitable<WorldPtr> Rewind(WorldPtr world, StateVector vector) {
  // The changes belong to the present World, which stays.
  Undoing undoing(world, vector);
  if (undoing.done()) co_return world;
  Turn turn;
  while (!undoing.done()) {
    if (turn.Over(undoing.Step())) co_await Yield();
  }
  co_return WorldPtr(undoing.past());
}

// Ends a flight in every case, an unwinding leader included.
class RewindCache::Leader {
 public:
  Leader(RewindCache& cache, std::shared_ptr<Flight> flight)
      : cache_(cache), flight_(std::move(flight)) {}
  ~Leader() {
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
  Leader(const Leader&) = delete;
  Leader& operator=(const Leader&) = delete;

 private:
  RewindCache& cache_;
  const std::shared_ptr<Flight> flight_;
};

RewindCache::Undone RewindCache::UndoneAt(const World& world, const StateVector& vector) {
  Undone undone;
  for (size_t i = 0; i < kSources; ++i) {
    const auto first = LogOf(world, i).LowerBound({vector[i] + 1, 0});
    undone[i] = first.done() ? UINT64_MAX : first.key().first;
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
      const Leader leader(*this, flight);
      flight->past = co_await Rewind(world, vector);
      co_return flight->past;
    }
    co_await flight->landed.Wait();
    if (flight->past != nullptr) co_return flight->past;
  }
}

}  // namespace steward::storage
