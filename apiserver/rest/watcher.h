// The watch verb.
#ifndef APISERVER_REST_WATCHER_H_
#define APISERVER_REST_WATCHER_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "apiserver/rest/resource.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"

namespace steward::rest {

struct WatchEvent {
  enum class Type { kAdded, kModified, kDeleted, kBookmark };
  Type type;
  const Object* object = nullptr;  // null for bookmarks; valid until the stream's next call
  std::string resource_version;    // what metadata.resourceVersion shall say
  // Of a bookmark: it ends the initial events (KEP-3157), and is annotated as such.
  bool initial_events_end = false;
};

// One client's watch. Not thread-safe; destroying it ends the watch. Holds no events of its own:
// a client that reads slowly costs no memory.
class EventStream {
 public:
  virtual ~EventStream() = default;
  // The next event; nullopt when the stream is over (its time is up). Errors carry a Kubernetes
  // Status, which the client gets as an ERROR event: 410 when it fell too far behind. Cancellable.
  virtual Task<std::optional<WatchEvent>> Next() = 0;
  // Whether Next would return at once: what is written so far is flushed when not.
  virtual bool Ready() const = 0;
  // Calls `settled` once: when what led on from where the client was has been told and the stream
  // has to wait for the first time; at once where that costs nothing. Before the first Next.
  virtual void OnSettled(std::function<void()> settled) { settled(); }
};

struct WatchOptions {
  // Events strictly after it; "" = what there is as ADDED, then everything after; "0" = the same,
  // and any state is good enough. Without send_initial_events, "" and "0" mean: from now on.
  std::string resource_version;
  bool bookmarks = false;
  // What there is as ADDED, at least as new as resource_version, then, if bookmarks, one that says
  // initial_events_end (KEP-3157). Always set for "" and "0", unless the client said no.
  bool send_initial_events = false;
  absl::Duration timeout;
  // When it is set, a Next that waits ends, as if the watch's time were up. Null: it never is.
  // Outlives the stream.
  const StopSignal* stop = nullptr;
  // The user whose watch it is: what costs something is shared out among users.
  std::string asker;
};

// Thread-safe. Errors as for Lister; an answer means that the watch is accepted.
class Watcher {
 public:
  virtual ~Watcher() = default;
  virtual Task<std::unique_ptr<EventStream>> Watch(const Selection& selection,
                                                   const WatchOptions& options) = 0;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_WATCHER_H_
