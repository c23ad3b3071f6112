// A client's place in the history of a virtual resource, and the events that lead on from there.
// Not thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_WATCH_CURSOR_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_WATCH_CURSOR_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "apiserver/rest/resource/resource.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "base/async/task.h"
#include "kube/meta/names.h"
#include "storage/world/number.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::views {

// Holds only the next event, because a slow client's next burst simply covers more changes.
//
// A burst is all events from the state that the client has to the newest state. All its events but
// the last carry a number with a mark below kComplete. A client that resumes at such a number gets
// again every object that it may have missed.
class WatchCursor {
 public:
  // `start` is the number that the client has. `epoch` is that of the current World. `past` and
  // `projection` outlive the cursor.
  WatchCursor(storage::Number start, uint64_t epoch, rest::Selection selection,
              storage::RewindCache& past, const Projection& projection);

  enum class Outcome {
    kEvent,      // event() and number() are the next
    kPause,      // the burst goes on: give other work a turn, then call Next again
    kBurstEnd,   // the client has the state that number() names: the place for a bookmark
    kQuiet,      // as kBurstEnd, after a burst without events
    kCurrent,    // the client has the newest state
    kFar,        // finding the client's state takes time: call Prepare, then Next again
    kNotYet,     // this replica has not reached the client's state
    kForgotten,  // this replica does not know the client's state (any more); the cluster may
    kExpired,    // the client cannot continue from its number: it must list again
  };
  // Continues from the client's state to that of `now`, which must never be older than in an
  // earlier call.
  Outcome Next(const storage::WorldSnapshot& now);

  // Called after kFar. Gives other work its turns. The cursor outlives the task.
  VoidTask Prepare();

  // Valid until the next call of Next.
  const ViewEvent& event() const { return *event_; }
  // The number of the event, or of the client's state.
  const std::string& number() const { return number_; }
  const storage::StateVector& vector() const { return position_.vector; }
  // The number's clock as a revision of etcd. It is at most one above the cluster's newest revision
  // (WorldStore::Lifted), unless the number is of another etcd.
  uint64_t revision() const { return position_.clock / storage::kTicks; }
  // True if another event of the same burst is known to follow.
  bool more_follows() const { return ahead_.has_value(); }
  // True if the event was the last of its burst: kBurstEnd follows at once.
  bool burst_ends() const { return diff_ != nullptr && has_event_ && !ahead_ && diff_->done(); }

 private:
  // The beginning of a burst.
  struct Start {
    storage::WorldSnapshot now;
    storage::WorldPtr before;  // the World of the client's state; null: Prepare is needed
    // Keys to report in any case; nullopt: too many.
    std::optional<std::set<kube::NamespacedName>> again;
  };
  // Begins a burst at an object's own number. The selection must name that object alone, because
  // the number says nothing of others. Reports the object as it is now, unless it still has this
  // number.
  Outcome NextFromOwn(const storage::WorldSnapshot& now);
  // True if there is nothing between the client's state and `target`.
  bool IsAt(const storage::StateVector& target) const;
  storage::StateVector TargetOf(const storage::World& world) const;
  void BeginBurst(Start start);
  boost::asio::awaitable<std::optional<std::set<kube::NamespacedName>>> Suspects(
      storage::WorldPtr now, storage::WorldPtr then) const;
  Outcome Advance();

  const rest::Selection selection_;
  storage::RewindCache& past_;
  const Projection& projection_;
  const uint64_t epoch_;
  storage::Number position_;  // the client's number before the burst under way

  std::unique_ptr<Start> start_;  // set after kFar
  // The burst under way.
  std::unique_ptr<Difference> diff_;  // null between bursts
  storage::Number target_;
  int middle_mark_ = 0;
  int64_t low_ = 0;         // everything in the burst happened above this revision
  bool has_event_ = false;  // the burst has an event
  std::optional<ViewEvent> ahead_;

  std::optional<ViewEvent> event_;
  std::string number_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_WATCH_CURSOR_H_
