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
  // True: the version is the object's own, and no place to continue from. One follows. (Who has not
  // got all initial events begins anew anyway.)
  bool midway = false;
  // True: this bookmark ends the initial events (KEP-3157), and is annotated as such.
  bool initial_events_end = false;
};

// One client's watch; destroying it ends the watch. It queues no events: a client that reads slowly
// costs no memory.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // The next event; nullopt when the stream is over (its time is up). Errors carry a Kubernetes
  // Status, which is sent as an ERROR event: 410 when the client fell too far behind. Cancellable.
  virtual Task<std::optional<WatchEvent>> Next() = 0;
  // True when Next would return at once. Otherwise the caller flushes its output first.
  virtual bool Ready() const = 0;
  // Calls `settled` once: when the events that follow the client's state have been returned and the
  // stream must wait for the first time; at once if that costs nothing. To be called before the
  // first Next.
  virtual void OnSettled(std::function<void()> settled) { settled(); }
};

struct WatchOptions {
  // Requests the events strictly after this version; "" = existing objects as ADDED, then all later
  // events; "0" = the same, from any state. Without send_initial_events, "" and "0" mean: from now
  // on.
  std::string resource_version;
  bool bookmarks = false;
  // Requests existing objects as ADDED, from a state at least as new as resource_version, then,
  // with `bookmarks`, one with initial_events_end (KEP-3157). Always set for "" and "0", unless the
  // client refused.
  bool send_initial_events = false;
  absl::Duration timeout;
  // When it is set, a waiting Next returns, as if the watch's time were up. Null: never set.
  // Outlives the stream.
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
