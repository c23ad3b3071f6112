// One client's watch of a virtual resource. Not thread-safe.
#ifndef APISERVER_VIEWS_VIRTUAL_RESOURCE_EVENT_STREAM_H_
#define APISERVER_VIEWS_VIRTUAL_RESOURCE_EVENT_STREAM_H_

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/views/virtual_resource/projection.h"
#include "apiserver/views/virtual_resource/snapshot_reader.h"
#include "apiserver/views/virtual_resource/watch_cursor.h"
#include "base/async/stop_signal.h"
#include "storage/world/number.h"
#include "storage/world/rewind.h"
#include "storage/world/world_store.h"

namespace steward::views {

// The context that all streams share. Outlives them.
struct StreamContext {
  storage::WorldStore& worlds;
  storage::RewindCache& past;
  const Projection& projection;
  // Asks the cluster for its current revision; may be empty.
  std::function<void()> probe;
  // Requests a state that has not arrived; may be empty.
  OnAwaited catch_up;
  absl::Duration bookmark_period;
};

struct StreamStart {
  storage::Number number;  // the state that the client has or is about to get
  // The objects of that state, which are sent first as ADDED; null = none.
  std::unique_ptr<rest::Cursor> initial;
  bool bookmarks = false;
  absl::Duration timeout;
  const StopSignal* stop = nullptr;  // see rest::WatchOptions
  std::string asker;                 // see rest::WatchOptions
};

// Holds one event at a time, whatever the client's speed. Ends only between bursts, after a burst's
// bookmark; a stream that is long overdue ends within a burst. 410 if this replica does not know
// the client's state (any more).
class ViewStream : public rest::EventStream {
 public:
  ViewStream(const StreamContext& context, rest::Selection selection, StreamStart start);
  ~ViewStream() override;

  Task<std::optional<rest::WatchEvent>> Next() override;
  // True only if an event is sure to follow, because the caller keeps its output back for that
  // event.
  bool Ready() const override;
  void OnSettled(std::function<void()> settled) override { settled_ = std::move(settled); }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;

  Task<std::optional<rest::WatchEvent>> NextInitial();
  // Called while this replica has not reached the client's state. Returns false if that state
  // cannot arrive.
  bool CanStillArrive(SteadyTime now);
  // Called while this replica does not know the client's past state. Returns false if the cluster
  // does not know it either, or has not answered in time.
  bool CanStillRecall(SteadyTime now);
  void Settle();
  rest::WatchEvent Bookmark(bool initial_events_end);
  // Makes an event. If `own` is true and the object has an own version, the event carries that
  // version, else the cursor's number.
  rest::WatchEvent Event(rest::WatchEvent::Type type, const rest::Object& object, bool own) const;
  // True if the stream's time has been up for so long that it must end even within a burst.
  bool IsOverdue() const;

  const StreamContext& context_;
  storage::WorldStore& worlds_;
  const bool bookmarks_;
  const StopSignal* const stop_;
  const std::string asker_;
  const SteadyTime deadline_;
  SteadyTime next_bookmark_;
  std::unique_ptr<rest::Cursor> initial_;
  WatchCursor cursor_;
  bool midway_ = false;                      // WatchEvent::midway of the last event
  std::optional<SteadyTime> waiting_since_;  // the start of the wait for the client's state
  std::function<void()> settled_;            // null once it was called
};

// A 410 for a watch from a state that is not known (any more), or never can be.
absl::Status TooOldToWatch(std::string_view number, const storage::Number& current);

// A stream that yields only an error, for a watch that was accepted but cannot begin.
class FailedStream : public rest::EventStream {
 public:
  explicit FailedStream(absl::Status error) : error_(std::move(error)) {}

  Task<std::optional<rest::WatchEvent>> Next() override;
  bool Ready() const override { return true; }

 private:
  const absl::Status error_;
};

}  // namespace steward::views

#endif  // APISERVER_VIEWS_VIRTUAL_RESOURCE_EVENT_STREAM_H_
