#include "apiserver/views/virtual_resource/watch_cursor.h"

#include <algorithm>
#include <utility>

#include "storage/world/rewind.h"
#include "storage/world/touched.h"

namespace steward::views {
namespace {

using storage::Source;
using storage::StateVector;
using storage::World;
using storage::WorldPtr;

int64_t PowerOfTen(int exponent) {
  int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

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

WatchCursor::Outcome WatchCursor::Next(const storage::Moment& now) {
  if (diff_) return Advance();
  // Another etcd: what the client has is of nothing that is known here.
  if (epoch_ != now.world->epoch()) return Outcome::kExpired;
  switch (now.world->Knows(position_.vector)) {
    case storage::Knowledge::kForgotten:
      return Outcome::kExpired;
    case storage::Knowledge::kNotYet:
      return Outcome::kNotYet;
    case storage::Knowledge::kKnown:
      break;
  }
  if (!BeginBurst(now)) return Outcome::kExpired;
  return diff_ ? Advance() : Outcome::kCurrent;
}

bool WatchCursor::BeginBurst(const storage::Moment& now) {
  StateVector target = now.world->Vector();
  // A component of the client's that is ahead is known to name the same state.
  for (size_t i = 0; i < target.size(); ++i) target[i] = std::max(target[i], position_.vector[i]);
  const bool complete = position_.mark == storage::Number::kComplete;
  if (complete && target == position_.vector) return true;

  std::set<kube::NamespacedName> again;
  if (!complete) {
    std::optional<std::set<kube::NamespacedName>> suspects = Suspects(now.world);
    if (!suspects) return false;
    again = *std::move(suspects);
  }
  storage::Touched touched = storage::TouchedBetween(*now.world, position_.vector, target);
  target_ = {std::max(now.clock, position_.clock), storage::Number::kComplete, target};
  // Of what is told again, anything may have happened since the horizon.
  low_ = again.empty() ? INT64_MAX : Revision(position_.clock) - PowerOfTen(position_.mark);
  if (!touched.empty()) low_ = std::min(low_, static_cast<int64_t>(touched.floor));
  has_event_ = false;
  WorldPtr before = past_.At(now.world, position_.vector);
  diff_ = projection_.Compare({std::move(before), now.world, std::move(touched), std::move(again)},
                              selection_);
  return true;
}

WatchCursor::Outcome WatchCursor::Advance() {
  // One event is held back, to know the last.
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
      while (middle_mark_ < 8 && revision - PowerOfTen(middle_mark_) > low) ++middle_mark_;
      ahead_ = std::move(found);
      continue;
    }
    event_ = std::exchange(ahead_, std::move(found));
    storage::Number middle = target_;
    middle.mark = middle_mark_;
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

// Keys that could have been visible under any combination of the versions in the window that a
// number inside a burst stands for.
std::optional<std::set<kube::NamespacedName>> WatchCursor::Suspects(const WorldPtr& now) const {
  const World& world = *now;
  const int64_t horizon = Revision(position_.clock) - PowerOfTen(position_.mark);
  for (size_t i = 0; i < storage::kSources; ++i) {
    const uint64_t part = position_.vector[i];
    const uint64_t known_from = world.source(static_cast<Source>(i)).history.KnownFrom(part);
    if (static_cast<int64_t>(part) > horizon &&
        static_cast<int64_t>(known_from) > std::max<int64_t>(horizon, 0)) {
      return std::nullopt;
    }
  }
  return projection_.Suspects({now, past_.At(now, position_.vector), position_.vector, horizon},
                              selection_);
}

}  // namespace steward::views
