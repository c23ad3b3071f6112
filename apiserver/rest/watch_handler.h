// Serves the watch verb.
#ifndef APISERVER_REST_WATCH_HANDLER_H_
#define APISERVER_REST_WATCH_HANDLER_H_

#include "absl/time/time.h"
#include "apiserver/http/message.h"
#include "apiserver/rest/resource.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::rest {

// How long watches last.
struct WatchLimits {
  Random& random;
  absl::Duration min_timeout;
  const StopSignal* stop = nullptr;  // null: never set
};

// The whole response: the head as soon as the watch is accepted, then a frame for each event, sent
// without delay unless more are at hand. Never compressed. Ends with the stream; an error of the
// stream becomes the last frame. While the client doesn't read, no event is asked for. An error
// with nothing sent is to be answered; any other means that the client is gone. A client that asks
// for a WebSocket gets each frame as a text message, in the same bytes.
//
// A watch without timeoutSeconds lasts between min_timeout and twice as long, at random, so that
// clients don't all come back at once; one with more than an hour, and more than min_timeout, a
// little less than that. When stop is set, what is being written is finished, and
// the body ends as if the watch's time were up: clients go on elsewhere from where they are.
// REQUIRES: resource.watch. Parameters by reference must outlive the task.
StatusTask ServeWatch(const Resource& resource, const http::Request& request,
                      http::ResponseWriter& writer, WatchLimits limits);

}  // namespace steward::rest

#endif  // APISERVER_REST_WATCH_HANDLER_H_
