// The HTTP handling of the watch verb. Each task runs on its caller's executor.
#ifndef APISERVER_REST_WATCH_HANDLER_H_
#define APISERVER_REST_WATCH_HANDLER_H_

#include "absl/time/time.h"
#include "apiserver/http/message/message.h"
#include "apiserver/rest/resource/resource.h"
#include "base/async/stop_signal.h"
#include "base/async/task.h"
#include "base/clock/clock.h"

namespace steward::rest {

// Limits of the duration of watches.
struct WatchLimits {
  Random& random;
  Clock& clock;  // by which credentials end
  absl::Duration min_timeout;
  const StopSignal* stop = nullptr;  // null: never set
};

// Writes the whole response: the head as soon as the watch is accepted, then a frame for each
// event, sent without delay unless more are ready. Never compressed. Ends with the stream, whose
// error becomes the last frame. While the client does not read, no event is requested. The caller
// must answer an error when nothing was sent yet; any other error means that the client is gone. A
// client that asks for a WebSocket gets each frame as a text message, in the same bytes.
//
// A watch without timeoutSeconds lasts between min_timeout and twice as long, at random, so that
// clients do not all come back at once. A watch that asks for more than one hour, and for more than
// min_timeout, lasts a little less than the longer of the two. No watch lasts longer than the
// credentials of its user. When stop is set, the frame being written is finished. If its version is
// no place to continue from (WatchEvent::midway), a frame with such a version follows. Then the
// body ends as if the watch's time were up, and clients resume elsewhere. REQUIRES: resource.watch.
// Parameters passed by reference must outlive the task.
StatusTask ServeWatch(const Resource& resource, const http::Request& request,
                      http::ResponseWriter& writer, WatchLimits limits);

}  // namespace steward::rest

#endif  // APISERVER_REST_WATCH_HANDLER_H_
