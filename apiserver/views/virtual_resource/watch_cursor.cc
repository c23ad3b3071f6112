#include "apiserver/views/virtual_resource/watch_cursor.h"

#include <algorithm>
#include <utility>

#include "apiserver/views/virtual_resource/selection.h"
#include "storage/world/rewind.h"
#include "storage/world/touched.h"

namespace steward::views {
namespace {

using storage::StateVector;
using storage::World;
using storage::WorldPtr;

int64_t PowerOfTen(int exponent) {
  int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

// The highest mark of a number inside a burst. Components reach back no further, so a client cannot
// continue inside a burst that does reach back further.
constexpr int kMaxMiddle = storage::Number::kOwn - 1;
constexpr int kNowhere = -1;

int64_t Revision(uint64_t clock) { return static_cast<int64_t>(clock / storage::kTicks); }

}  // namespace

WatchCursor::WatchCursor(storage::Number start, uint64_t epoch, rest::Selection selection,
                         storage::RewindCache& past, const Projection& projection)
    : selection_(std::move(selection)),
      past_(past),
      projection_(projection),
      epoch_(epoch),
      position_(start),
      number_(start.ToString()) {}

WatchCursor::Outcome WatchCursor::Next(const storage::WorldSnapshot& now) {
  if (diff_) return Advance();
  // The client's number is of another etcd, so nothing known here applies to it.
  if (epoch_ != now.world->epoch()) return Outcome::kExpired;
  if (position_.mark == storage::Number::kOwn) return NextFromOwn(now);
  switch (now.world->Knows(position_.vector)) {
    case storage::Knowledge::kForgotten:
      return Outcome::kForgotten;
    case storage::Knowledge::kNotYet:
      return Outcome::kNotYet;
    case storage::Knowledge::kKnown:
      break;
  }
  if (start_ == nullptr) {
    if (IsAt(TargetOf(*now.world))) return Outcome::kCurrent;
    Start start{now, nullptr, std::set<kube::NamespacedName>()};
    const bool complete = position_.mark == storage::Number::kComplete;
    if (complete) start.before = past_.AtOnce(now.world, position_.vector);
    if (start.before == nullptr) {
      start_ = std::make_unique<Start>(std::move(start));
      return Outcome::kFar;
    }
    BeginBurst(std::move(start));
    return Advance();
  }
  if (start_->before == nullptr) return Outcome::kFar;
  Start start = std::move(*start_);
  start_.reset();
  if (!start.again) return Outcome::kExpired;
  BeginBurst(std::move(start));
  return Advance();
}

WatchCursor::Outcome WatchCursor::NextFromOwn(const storage::WorldSnapshot& now) {
  const std::string* ns = SelectedNamespace(selection_);
  const std::string* name = SelectedName(selection_);
  if (ns == nullptr || name == nullptr) return Outcome::kExpired;
  // In a real own number, the clock is the newest of the revisions. Else the number is invented,
  // and its clock must not become ours.
  if (std::ranges::max(position_.vector) != revision()) return Outcome::kExpired;
  // A change of any source up to that revision may have changed the object.
  position_.vector = position_.AtClock();
  if (!now.world->HasReached(position_.vector)) return Outcome::kNotYet;
  const kube::NamespacedName key{*ns, *name};
  const std::unique_ptr<const rest::Object> object = projection_.Find(now.world, key);
  Start start{now, now.world, std::set<kube::NamespacedName>()};
  if (object == nullptr || object->OwnVersion() != number_) start.again->insert(key);
  // The client has the object's state at this number, and the burst brings what came later.
  position_ = {position_.clock, /*mark=*/0, now.world->Vector()};
  BeginBurst(std::move(start));
  return Advance();
}

VoidTask WatchCursor::Prepare() {
  const WorldPtr now = start_->now.world;
  WorldPtr before = co_await past_.At(now, position_.vector);
  if (position_.mark != storage::Number::kComplete) {
    start_->again = co_await Suspects(now, before);
  }
  start_->before = std::move(before);
}

StateVector WatchCursor::TargetOf(const World& world) const {
  StateVector target = world.Vector();
  // If a component of the client's state is above this World's, both name the same state: Next has
  // checked that.
  for (size_t i = 0; i < target.size(); ++i) target[i] = std::max(target[i], position_.vector[i]);
  return target;
}

bool WatchCursor::IsAt(const StateVector& target) const {
  return position_.mark == storage::Number::kComplete && target == position_.vector;
}

void WatchCursor::BeginBurst(Start start) {
  const WorldPtr& now = start.now.world;
  const StateVector target = TargetOf(*now);
  storage::Touched touched = storage::TouchedBetween(*now, position_.vector, target);
  target_ = {std::max(start.now.clock, position_.clock), storage::Number::kComplete, target};
  // Any change since the horizon may have affected the keys in start.again.
  low_ = start.again->empty() ? INT64_MAX : Revision(position_.clock) - PowerOfTen(position_.mark);
  if (!touched.empty()) low_ = std::min(low_, static_cast<int64_t>(touched.floor));
  has_event_ = false;
  diff_ = projection_.Compare(
      {std::move(start.before), now, std::move(touched), *std::move(start.again)}, selection_);
}

WatchCursor::Outcome WatchCursor::Advance() {
  // One event is held back in ahead_, so that the last event of the burst is recognized.
  while (!diff_->done()) {
    std::optional<ViewEvent> found = diff_->Next();
    if (!found) {
      if (diff_->done()) break;
      return Outcome::kPause;
    }
    if (!has_event_) {
      has_event_ = true;
      target_.clock = std::max(target_.clock, position_.clock + 1);
      const int64_t revision = Revision(target_.clock);
      const int64_t low = std::min(low_, revision - 1);
      middle_mark_ = 0;
      while (middle_mark_ < kMaxMiddle && revision - PowerOfTen(middle_mark_) > low) ++middle_mark_;
      if (revision - PowerOfTen(middle_mark_) > low) middle_mark_ = kNowhere;
      ahead_ = std::move(found);
      continue;
    }
    event_ = std::exchange(ahead_, std::move(found));
    storage::Number middle = target_;
    middle.mark = middle_mark_;
    if (middle_mark_ == kNowhere) {
      middle.mark = kMaxMiddle;
      middle.vector = {};
    }
    number_ = middle.ToString();
    return Outcome::kEvent;
  }
  number_ = target_.ToString();
  if (ahead_) {
    event_ = std::exchange(ahead_, std::nullopt);
    return Outcome::kEvent;
  }
  position_ = target_;
  event_.reset();
  diff_.reset();
  return has_event_ ? Outcome::kBurstEnd : Outcome::kQuiet;
}

// The keys that the client may hold in an outdated state, because its number is inside a burst.
// nullopt: unknown or too many.
boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> WatchCursor::Suspects(
    WorldPtr now, WorldPtr then) const {
  const int64_t horizon = Revision(position_.clock) - PowerOfTen(position_.mark);
  for (size_t i = 0; i < now->sources().size(); ++i) {
    const uint64_t part = position_.vector[i];
    const uint64_t known_from = now->sources()[i].history.KnownFrom(part);
    if (static_cast<int64_t>(part) > horizon &&
        static_cast<int64_t>(known_from) > std::max<int64_t>(horizon, 0)) {
      co_return std::nullopt;
    }
  }
  Window window{std::move(now), std::move(then), position_.vector, horizon};
  co_return co_await projection_.Suspects(std::move(window), selection_);
}

}  // namespace steward::views
