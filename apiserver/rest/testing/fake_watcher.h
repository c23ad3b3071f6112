// The watch verb of widgets, which plays a script. Not thread-safe.
#ifndef APISERVER_REST_TESTING_FAKE_WATCHER_H_
#define APISERVER_REST_TESTING_FAKE_WATCHER_H_

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "apiserver/rest/resource/resource.h"
#include "apiserver/rest/resource/watcher.h"
#include "apiserver/rest/testing/fake_resource.h"
#include "base/async/task.h"

namespace steward::rest {

// Every watch plays the script from its start; after the script, it waits without end.
class FakeWatcher : public Watcher {
 public:
  // One step of the script.
  struct Step {
    std::optional<FakeObject> object;
    std::optional<WatchEvent> event;  // refers to the object above
    absl::Status error;
    bool at_hand = true;  // the result of Ready; if false, the stream first lets other work run
  };

  // `this` outlives `resource`.
  void AddTo(Resource& resource) { resource.watch = this; }

  Step& Event(WatchEvent::Type type, FakeObject object, std::string resource_version);
  Step& Bookmark(std::string resource_version, bool initial_events_end = false);
  Step& Error(absl::Status error);
  Step& End();

  Task<std::unique_ptr<EventStream>> Watch(const Selection& selection,
                                           const WatchOptions& options) override;

  // Makes every later call fail with `status`; OK = as usual.
  void Fail(absl::Status status) { failure_ = std::move(status); }
  int calls() const { return calls_; }
  // Totals of all streams: calls of Next, and streams that exist now.
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
