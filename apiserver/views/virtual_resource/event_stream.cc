#include "apiserver/views/virtual_resource/event_stream.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/time/clock.h"
#include "apiserver/views/virtual_resource/snapshot_reader.h"
#include "base/async/yield.h"
#include "base/status/macros.h"
#include "base/text/str_cat.h"
#include "kube/meta/status.h"

namespace steward::views {
namespace {

using Outcome = WatchCursor::Outcome;

// While a state is awaited: the time of the second check whether it can arrive, and the interval of
// later ones. The first check is made at once.
const std::chrono::milliseconds kSecondLook = absl::ToChronoMilliseconds(kPatience);
constexpr std::chrono::seconds kLookAgain{1};

// A client may read so slowly that its watch never comes to the end of a burst. Then the watch ends
// this long after its time is up.
constexpr std::chrono::minutes kOvertime{1};

std::chrono::steady_clock::time_point After(absl::Duration duration) {
  return std::chrono::steady_clock::now() + absl::ToChronoNanoseconds(duration);
}

}  // namespace

absl::Status TooOldToWatch(std::string_view number, const storage::Number& current) {
  return kube::ToStatus(
      kube::Expired(StrCat("too old resource version: ", number, " (", current.ToString(), ")")));
}

ViewStream::ViewStream(const StreamContext& context, rest::Selection selection, StreamStart start)
    : context_(context),
      worlds_(context.worlds),
      bookmarks_(start.bookmarks),
      stop_(start.stop),
      asker_(std::move(start.asker)),
      deadline_(After(start.timeout)),
      next_bookmark_(After(context.bookmark_period)),
      initial_(std::move(start.initial)),
      cursor_(start.number, worlds_.Current()->epoch(), std::move(selection), context.past,
              context.projection) {}

ViewStream::~ViewStream() = default;

bool ViewStream::Ready() const {
  // A bookmark follows the initial events, if the client takes bookmarks.
  if (initial_ != nullptr) return bookmarks_;
  return cursor_.more_follows() || (bookmarks_ && cursor_.burst_ends());
}

void ViewStream::Settle() {
  if (settled_) std::exchange(settled_, nullptr)();
}

rest::WatchEvent ViewStream::Bookmark(bool initial_events_end) {
  next_bookmark_ = After(context_.bookmark_period);
  midway_ = false;
  rest::WatchEvent event;
  event.type = rest::WatchEvent::Type::kBookmark;
  event.resource_version = cursor_.number();
  event.initial_events_end = initial_events_end;
  return event;
}

bool ViewStream::IsOverdue() const {
  return std::chrono::steady_clock::now() >= deadline_ + kOvertime;
}

rest::WatchEvent ViewStream::Event(rest::WatchEvent::Type type, const rest::Object& object,
                                   bool own) const {
  rest::WatchEvent event;
  event.type = type;
  event.object = &object;
  if (own) event.resource_version = object.OwnVersion();
  if (event.resource_version.empty()) event.resource_version = cursor_.number();
  return event;
}

Task<std::optional<rest::WatchEvent>> ViewStream::NextInitial() {
  while (true) {
    if (const rest::Object* object = initial_->Next()) {
      co_return Event(rest::WatchEvent::Type::kAdded, *object, bookmarks_);
    }
    CO_ASSIGN_OR_RETURN(const bool more, co_await initial_->More());
    if (more) continue;
    initial_ = nullptr;
    if (bookmarks_) co_return Bookmark(true);
    co_return std::nullopt;
  }
}

Task<std::optional<rest::WatchEvent>> ViewStream::Next() {
  if (initial_ != nullptr) {
    CO_ASSIGN_OR_RETURN(std::optional<rest::WatchEvent> event, co_await NextInitial());
    if (event) co_return event;
  }
  while (true) {
    const Broadcast::Ticket ticket = worlds_.published().Now();
    switch (cursor_.Next(worlds_.Now())) {
      case Outcome::kEvent: {
        // Before an overdue stream ends, its last event must have a number to continue from.
        const bool overdue = IsOverdue();
        if (overdue && !midway_) co_return std::nullopt;
        const bool ends = overdue || (stop_ != nullptr && stop_->IsSet());
        const ViewEvent& found = cursor_.event();
        // A client cannot continue from an own version, only from the bookmark that follows the
        // burst.
        midway_ = found.own_version && bookmarks_ && !ends;
        rest::WatchEvent event = Event(found.type, *found.object, midway_);
        event.midway = midway_;
        co_return event;
      }
      case Outcome::kPause:
        co_await Yield();
        continue;
      case Outcome::kFar:
        co_await cursor_.Prepare();
        continue;
      case Outcome::kBurstEnd:
        Settle();
        if (bookmarks_) co_return Bookmark(false);
        [[fallthrough]];
      case Outcome::kQuiet:
        // A stream ends here even if there are always new events.
        if (std::chrono::steady_clock::now() >= deadline_) co_return std::nullopt;
        continue;
      case Outcome::kExpired:
        co_return TooOldToWatch(cursor_.number(), worlds_.Now().number());
      case Outcome::kCurrent:
        waiting_since_.reset();
        break;
      case Outcome::kForgotten:
        if (!CanStillRecall(std::chrono::steady_clock::now())) {
          co_return TooOldToWatch(cursor_.number(), worlds_.Now().number());
        }
        break;
      case Outcome::kNotYet:
        if (!CanStillArrive(std::chrono::steady_clock::now())) {
          co_return TooOldToWatch(cursor_.number(), worlds_.Now().number());
        }
        break;
    }
    Settle();
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now >= deadline_) co_return std::nullopt;
    SteadyTime wake = deadline_;
    if (waiting_since_) {
      const SteadyTime first = *waiting_since_ + kSecondLook;
      wake = std::min(wake, now < first ? first : now + kLookAgain);
    } else if (bookmarks_) {
      if (now >= next_bookmark_) co_return Bookmark(false);
      wake = std::min(wake, next_bookmark_);
    }
    if (stop_ == nullptr) {
      co_await worlds_.published().WaitSince(ticket, wake);
      continue;
    }
    co_await stop_->WaitOr(worlds_.published(), ticket, wake);
    if (stop_->IsSet()) co_return std::nullopt;
  }
}

Task<std::optional<rest::WatchEvent>> FailedStream::Next() { co_return error_; }

// A state above the cluster's newest revision cannot arrive, because it is of another etcd, or
// invented. Before that is decided, the cluster is asked for its revision and has kLookAgain to
// answer.
bool ViewStream::CanStillArrive(SteadyTime now) {
  if (!waiting_since_) waiting_since_ = now;
  if (context_.probe) context_.probe();
  const storage::StateVector& vector = cursor_.vector();
  if (*std::max_element(vector.begin(), vector.end()) > worlds_.newest_revision()) {
    return !context_.probe || now - *waiting_since_ < kLookAgain;
  }
  if (context_.catch_up && now - *waiting_since_ >= kSecondLook) {
    context_.catch_up(vector, asker_);
  }
  return true;
}

// The cluster may still know a state from before this replica's start. But it cannot know a state
// above its newest revision: such a state is from before etcd was restored to an older copy.
// (Clocks can be one above the newest revision: WorldStore::Lifted.)
bool ViewStream::CanStillRecall(SteadyTime now) {
  const storage::StateVector& vector = cursor_.vector();
  if (!context_.catch_up || worlds_.Current()->IsGone(vector)) return false;
  if (!waiting_since_) waiting_since_ = now;
  if (cursor_.revision() > worlds_.newest_revision() + 1) {
    if (context_.probe) context_.probe();
    return context_.probe && now - *waiting_since_ < kLookAgain;
  }
  if (now - *waiting_since_ >= absl::ToChronoNanoseconds(kRecallPatience)) return false;
  context_.catch_up(vector, asker_);
  return true;
}

}  // namespace steward::views
