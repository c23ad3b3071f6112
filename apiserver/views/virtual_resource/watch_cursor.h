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

// Holds only the next event: a slow client's next difference simply covers more.
//
// A burst is the difference between the state that the client has and the newest. All its events
// but the last carry a number with a mark below kComplete: a client that resumes there is told
// again what it may have missed.
class WatchCursor {
 public:
  // `start`: the number that the client has, in the present World's `epoch`. `past` and
  // `projection` outlive the cursor.
  WatchCursor(storage::Number start, uint64_t epoch, rest::Selection selection,
              storage::RewindCache& past, const Projection& projection);

  enum class Outcome {
    kEvent,      // event() and number() are the next
    kPause,      // there is more to look at: let others have a turn
    kBurstEnd,   // the client has the state that number() names: the place for a bookmark
    kQuiet,      // as kBurstEnd, after a burst without events
    kCurrent,    // the client has the newest state
    kFar,        // the client's state has to be found first, which takes time: Prepare does it
    kNotYet,     // this replica has not reached the client's state
    kForgotten,  // this replica does not know the client's state, or not any more
    kExpired,    // and nobody can say what happened since
  };
  // Continues from the client's place to the newest of `now`, which must never be older than
  // before.
  Outcome Next(const storage::WorldSnapshot& now);

  // Called after kFar. Gives other work its turns. The cursor outlives the task.
  VoidTask Prepare();

  // Valid until the next call of Next.
  const ViewEvent& event() const { return *event_; }
  // The number of the event, or of the client's state.
  const std::string& number() const { return number_; }
  const storage::StateVector& vector() const { return position_.vector; }
  // The revision of etcd that it reads as, which the cluster has had, unless it is another's.
  uint64_t revision() const { return position_.clock / storage::kTicks; }
  // True if another event of the same burst is known to follow.
  bool more_follows() const { return ahead_.has_value(); }
  // True if the event was the last of its burst: kBurstEnd follows at once.
  bool burst_ends() const { return diff_ != nullptr && has_event_ && !ahead_ && diff_->done(); }

 private:
  // The beginning of a burst.
  struct Start {
    storage::WorldSnapshot now;
    storage::WorldPtr before;  // the client's; null: not prepared
    // Keys to be told again; nullopt: too many.
    std::optional<std::set<kube::NamespacedName>> again;
  };
  // Begins at an object's own number: only a watch of that object can, since it says nothing of
  // others. The object is told as it is now, unless it still has this number.
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
  storage::Number position_;  // the client's, between bursts

  std::unique_ptr<Start> start_;  // of a burst that is far
  // The burst under way.
  std::unique_ptr<Difference> diff_;  // separate, as most watchers wait most of the time
  storage::Number target_;
  int middle_mark_ = 0;
  int64_t low_ = 0;         // everything in the burst happened above this revision
  bool has_event_ = false;  // at least one was found
  std::optional<ViewEvent> ahead_;

  std::optional<ViewEvent> event_;
  std::string number_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_WATCH_CURSOR_H_
