// The watch verb. Implementations of Watcher are thread-safe, an EventStream is not.
#ifndef APISERVER_REST_RESOURCE_WATCHER_H_
#define APISERVER_REST_RESOURCE_WATCHER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"

namespace steward::rest {

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark };
  Type type;
  const Object* object = nullptr;  // null for bookmarks; valid until the stream's next call
  std::string resource_version;    // the value for metadata.resourceVersion
  // True: resource_version is the object's own, so a client cannot continue a watch from it. A
  // later event brings a version from which it can. (False in initial events, whatever their
  // version: a client that has not received all of them starts anew anyway.)
  bool midway = false;
  // True: this bookmark ends the initial events (KEP-3157), and is annotated as such.
  bool initial_events_end = false;
};

// One client's watch; destroying it ends the watch. It queues no events: a client that reads slowly
// costs no memory.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // The next event; nullopt if the watch's time is up. Errors carry a Kubernetes Status, which is
  // sent as an ERROR event: 410 if the client has fallen too far behind. Cancellable.
  virtual Task<std::optional<WatchEvent>> Next() = 0;
  // True if Next would return at once. If false, the caller flushes its output before it calls
  // Next.
  virtual bool Ready() const = 0;
  // Sets `settled`, which the stream calls once: when it has returned the events that follow the
  // client's state, and waits for the first time. This default calls it at once. To be called
  // before the first Next.
  virtual void OnSettled(std::function<void()> settled) { settled(); }
};

struct WatchOptions {
  // With send_initial_events: the state to begin with is at least as new as this version; "" = the
  // newest state, "0" = any state. Without: requests the events strictly after this version; "" and
  // "0" = from now on.
  std::string resource_version;
  bool bookmarks = false;
  // Requests existing objects as ADDED first, then, with `bookmarks`, a bookmark with
  // initial_events_end (KEP-3157). Always set if resource_version is "" or "0", unless the client
  // refused initial events.
  bool send_initial_events = false;
  absl::Duration timeout;
  // When this signal is set, a waiting Next returns as if the watch's time were up. Null: never
  // set. Outlives the stream.
  const StopSignal* stop = nullptr;
  // The watch's user: expensive work is shared fairly among users.
  std::string asker;
};

// Errors as for Lister. When Watch returns a stream, the watch is accepted.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual Task<std::unique_ptr<EventStream>> Watch(const Selection& selection,
                                                   const WatchOptions& options) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_RESOURCE_WATCHER_H_
