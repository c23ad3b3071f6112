// The watch verb of widgets, by a script.
#ifndef APISERVER_REST_TESTING_FAKE_WATCHER_H_
#define APISERVER_REST_TESTING_FAKE_WATCHER_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/rest/resource.h"
#include "apiserver/rest/testing/fake_resource.h"
#include "apiserver/rest/watcher.h"
#include "base/async/task.h"

namespace steward::rest {

// Every watch plays the script from its start; after the script, nothing happens any more. Not
// thread-safe.
class FakeWatcher : public Watcher {
 public:
  // One step of the script.
  struct Step {
    std::optional<FakeObject> object;
    std::optional<WatchEvent> event;  // its object is the one above
    absl::Status error;
    bool at_hand = true;  // Ready says so; else the stream lets other work go first
  };

  // `this` outlives `resource`.
  void AddTo(Resource& resource) { resource.watch = this; }

  Step& Event(WatchEvent::Type type, FakeObject object, std::string resource_version);
  Step& Bookmark(std::string resource_version, bool initial_events_end = false);
  Step& Error(absl::Status error);
  Step& End();

  Task<std::unique_ptr<EventStream>> Watch(const Selection& selection,
                                           const WatchOptions& options) override;

  // What every call answers from now on; OK = as usual.
  void Fail(absl::Status status) { failure_ = std::move(status); }
  int calls() const { return calls_; }
  // Of all streams: how often they were asked for an event, and how many live.
  int asked() const { return asked_; }
  int streams() const { return streams_; }
  const Selection& last_selection() const { return last_selection_; }
  const WatchOptions& last_options() const { return last_options_; }

 private:
  class Stream;

  std::deque<Step> script_;
  absl::Status failure_;
  int calls_ = 0;
  int asked_ = 0;
  int streams_ = 0;
  Selection last_selection_;
  WatchOptions last_options_;
};

}  // namespace steward::rest

#endif  // APISERVER_REST_TESTING_FAKE_WATCHER_H_
